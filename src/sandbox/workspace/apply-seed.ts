import { sql } from 'kysely';

import { type Db, transaction } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { ParsedSeed } from '../seed.ts';

/** Fills an empty schema; does nothing where there is a team already. */
export async function applySeed(db: Db<Tables>, seed: ParsedSeed, now: Date): Promise<void> {
  await transaction(db, async (tx) => {
    const team = await tx.selectFrom('team').select('id').executeTakeFirst();
    if (team) return;
    const { app } = seed;
    await tx.insertInto('team').values(seed.team).execute();
    await tx
      .insertInto('app')
      .values({
        id: app.id,
        name: app.name,
        bot_user_id: app.botUserId,
        bot_id: app.botId,
        bot_token: app.botToken,
        app_token: app.appToken,
        signing_secret: app.signingSecret,
        request_url: app.requestUrl ?? null,
        request_url_verified: false,
        socket_mode: app.socketMode ?? app.requestUrl === undefined,
        scopes: app.scopes ?? null,
      })
      .execute();
    await tx
      .insertInto('person')
      .values([
        ...seed.people.map((person) => ({
          id: person.id,
          name: person.name,
          first_name: person.firstName,
          last_name: person.lastName,
          email: person.email,
          time_zone: person.timeZone,
          is_bot: false,
          role: person.role,
          display_name: person.displayName ?? null,
          title: person.title,
          deleted: person.deleted,
          team_id: person.teamId ?? null,
        })),
        {
          id: app.botUserId,
          name: app.name,
          first_name: app.name,
          last_name: '',
          email: '',
          time_zone: 'UTC',
          is_bot: true,
          display_name: null,
          team_id: null,
        },
      ])
      .execute();
    if (seed.userGroups.length > 0)
      await tx
        .insertInto('user_group')
        .values(
          seed.userGroups.map((group) => ({
            ...group,
            channels: [],
            created_by: seed.people[0]?.id ?? app.botUserId,
            changed_by: seed.people[0]?.id ?? app.botUserId,
            created_at: Math.floor(now.getTime() / 1000),
            updated_at: Math.floor(now.getTime() / 1000),
            deleted_at: 0,
          })),
        )
        .execute();
    const emoji = Object.entries(seed.emoji);
    if (emoji.length > 0)
      await tx
        .insertInto('emoji')
        .values(emoji.map(([name, value]) => ({ name, value })))
        .execute();
    const oldest = Math.floor(now.getTime() / 1000) - seed.channels.length;
    for (const [index, channel] of seed.channels.entries()) {
      await tx
        .insertInto('channel')
        .values({
          id: channel.id,
          name: channel.name,
          kind: channel.private ? 'group' : 'channel',
          is_archived: false,
          creator: seed.people[0]?.id ?? app.botUserId,
          // Channels are listed by age, so in the order of the seed.
          created_at: oldest + index,
        })
        .execute();
      if (channel.members.length > 0)
        await tx
          .insertInto('member')
          .values(channel.members.map((user_id) => ({ channel_id: channel.id, user_id })))
          .execute();
    }
  });
}

/** Empties every table of the workspace, so that the seed can be applied again. */
export async function clearWorkspace(db: Db<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tablename <> 'migration'`.execute(db);
  await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
}
