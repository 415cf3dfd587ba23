import { sql } from 'kysely';

import { type Db, transaction, type Tx } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { ParsedSeed, ParsedTeam } from '../seed.ts';

/** The app's place in a workspace, as the seed gives it. */
interface SeededInstallation {
  botUserId: string;
  botId: string;
  botToken: string;
  scopes?: string[] | undefined;
}

/** Fills an empty schema; does nothing where there is a team already. */
export async function applySeed(db: Db<Tables>, seed: ParsedSeed, now: Date): Promise<void> {
  await transaction(db, async (tx) => {
    const team = await tx.selectFrom('team').select('id').executeTakeFirst();
    if (team) return;
    const { app } = seed;
    await tx
      .insertInto('app')
      .values({
        id: app.id,
        name: app.name,
        app_token: app.appToken,
        signing_secret: app.signingSecret,
        client_id: app.clientId ?? app.id,
        client_secret: app.clientSecret ?? `client-secret-of-${app.id}`,
        redirect_urls: app.redirectUrls,
        token_rotation: app.tokenRotation,
        request_url: app.requestUrl ?? null,
        request_url_verified: false,
        socket_mode: app.socketMode ?? app.requestUrl === undefined,
      })
      .execute();
    for (const one of [{ ...seed, installation: app }, ...seed.workspaces]) {
      await insertTeam(tx, one, now);
      if (one.installation) await installSeeded(tx, app, one.team.id, one.installation, now);
    }
  });
}

/** Adds a workspace with its people, groups, emoji and channels. */
export async function insertTeam(tx: Tx<Tables>, one: ParsedTeam, now: Date): Promise<void> {
  const team_id = one.team.id;
  const seconds = Math.floor(now.getTime() / 1000);
  const first = one.people[0]?.id ?? 'USLACKBOT';
  await tx.insertInto('team').values(one.team).execute();
  if (one.people.length > 0)
    await tx
      .insertInto('person')
      .values(
        one.people.map((person) => ({
          id: person.id,
          workspace_id: team_id,
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
      )
      .execute();
  if (one.userGroups.length > 0)
    await tx
      .insertInto('user_group')
      .values(
        one.userGroups.map((group) => ({
          ...group,
          team_id,
          channels: [],
          created_by: first,
          changed_by: first,
          created_at: seconds,
          updated_at: seconds,
          deleted_at: 0,
        })),
      )
      .execute();
  const emoji = Object.entries(one.emoji);
  if (emoji.length > 0)
    await tx
      .insertInto('emoji')
      .values(emoji.map(([name, value]) => ({ team_id, name, value })))
      .execute();
  for (const [index, channel] of one.channels.entries()) {
    await tx
      .insertInto('channel')
      .values({
        id: channel.id,
        team_id,
        name: channel.name,
        kind: channel.private ? 'group' : 'channel',
        is_archived: false,
        creator: first,
        // Channels are listed by age, so in the order of the seed.
        created_at: seconds - one.channels.length + index,
      })
      .execute();
    if (channel.members.length > 0)
      await tx
        .insertInto('member')
        .values(channel.members.map((user_id) => ({ channel_id: channel.id, user_id })))
        .execute();
  }
}

async function installSeeded(
  tx: Tx<Tables>,
  app: { id: string; name: string },
  team_id: string,
  { botUserId, botId, botToken, scopes }: SeededInstallation,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('person')
    .values(botUser(app.name, team_id, botUserId))
    .execute();
  await tx
    .insertInto('installation')
    .values({
      app_id: app.id,
      team_id,
      bot_user_id: botUserId,
      bot_id: botId,
      scopes: scopes ?? null,
      active: true,
    })
    .execute();
  await tx
    .insertInto('bot_token')
    .values({
      token: botToken,
      app_id: app.id,
      team_id,
      refresh_token: null,
      expires_at: null,
      created_at: now,
    })
    .execute();
}

/** The bot user of an app in a workspace. */
export function botUser(name: string, teamId: string, userId: string) {
  return {
    id: userId,
    workspace_id: teamId,
    name,
    first_name: name,
    last_name: '',
    email: '',
    time_zone: 'UTC',
    is_bot: true,
  };
}

/** Empties every table of the sandbox, so that the seed can be applied again. */
export async function clearWorkspace(db: Db<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tablename <> 'migration'`.execute(db);
  await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
}
