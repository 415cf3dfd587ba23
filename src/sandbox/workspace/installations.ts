import { transaction, type Tx } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import { botUser } from './apply-seed.ts';
import type { RegisteredApp } from './apps.ts';
import { type App, appOf, personOf } from './directory.ts';
import type { EventBody } from './events.ts';
import type { BotToken } from './tokens.ts';
import type { Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * Installs an app, or installs it again: the same bot user as before, and the scopes of all times together
 * (docs.slack.dev/authentication/installing-with-oauth). A bot user that was deactivated is active again.
 */
export async function install(
  workspace: Workspace,
  app: RegisteredApp,
  scopes: readonly string[],
): Promise<App> {
  const { db, directory, ids, journal } = workspace;
  const team_id = directory.team.id;
  const { row, person } = await transaction(db, async (tx) => {
    const known = await tx
      .selectFrom('installation')
      .selectAll()
      .where('app_id', '=', app.id)
      .where('team_id', '=', team_id)
      .executeTakeFirst();
    const userId = known?.bot_user_id ?? ids.slackId('U');
    const installed = await tx
      .insertInto('installation')
      .values({
        app_id: app.id,
        team_id,
        bot_user_id: userId,
        bot_id: ids.slackId('B'),
        scopes: [...scopes],
        active: true,
      })
      .onConflict((conflict) =>
        conflict.columns(['app_id', 'team_id']).doUpdateSet({
          active: true,
          by_organisation: false,
          // No list means everything: nothing can be added to that.
          scopes: known && !known.scopes ? null : [...new Set([...(known?.scopes ?? []), ...scopes])],
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    const bot = await tx
      .insertInto('person')
      .values(botUser(freeName(workspace, app), team_id, userId))
      .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet({ deleted: false }))
      .returningAll()
      .executeTakeFirstOrThrow();
    return { row: installed, person: personOf(bot) };
  });
  const before = directory.people.get(person.id);
  if (before) Object.assign(before, person);
  else directory.people.set(person.id, person);
  const now = appOf({ ...row, name: app.name });
  const installed = directory.apps.get(app.id);
  // The same object: others hold it.
  if (installed) Object.assign(installed, now);
  else directory.apps.set(app.id, now);
  journal.record('person', { person: person.id, change: before ? 'changed' : 'added' });
  return directory.apps.get(app.id) ?? now;
}

/** Takes an app out of a workspace: its tokens end, and it hears `app_uninstalled` and `tokens_revoked`. */
export async function uninstall(workspaces: Workspaces, workspace: Workspace, app: App): Promise<void> {
  await end(workspaces, workspace, app, workspaces.tokens.of(app.id, workspace.directory.team.id), (tx) =>
    tx
      .updateTable('installation')
      .set({ active: false, scopes: [] })
      .where('app_id', '=', app.id)
      .where('team_id', '=', workspace.directory.team.id)
      .execute(),
  );
  workspace.directory.apps.delete(app.id);
  await workspace.tell({ type: 'app_uninstalled' }, [app]);
  await workspace.tell(tokensRevoked(app), [app]);
}

/** Ends one token; with the last one the bot user is deactivated, though the app stays (`tokens_revoked`). */
export async function revoke(
  workspaces: Workspaces,
  workspace: Workspace,
  app: App,
  token: BotToken,
): Promise<void> {
  const others = workspaces.tokens
    .valid(app.id, workspace.directory.team.id)
    .filter((one) => one.token !== token.token);
  if (others.length > 0) {
    await workspaces.tokens.end([token]);
    return;
  }
  await end(workspaces, workspace, app, [token], async () => undefined);
  await workspace.tell(tokensRevoked(app), [app]);
}

/** Ends tokens with the bot user's part in the workspace. */
async function end(
  workspaces: Workspaces,
  workspace: Workspace,
  app: App,
  tokens: readonly BotToken[],
  more: (tx: Tx<Tables>) => Promise<unknown>,
): Promise<void> {
  await leaveChannels(workspace, app, more);
  await workspaces.tokens.end(tokens);
}

/** Deactivates the bot user and takes it out of every channel, with what `more` changes; direct conversations stay. */
export async function leaveChannels(
  { db, directory, journal }: Workspace,
  app: App,
  more: (tx: Tx<Tables>) => Promise<unknown>,
): Promise<void> {
  const channels = [...directory.channels.values()].filter(
    ({ kind, members }) => (kind === 'channel' || kind === 'group') && members.has(app.botUserId),
  );
  await transaction(db, async (tx) => {
    await tx
      .updateTable('person')
      .set({ deleted: true })
      .where('id', '=', app.botUserId)
      .where('workspace_id', '=', directory.team.id)
      .execute();
    if (channels.length > 0)
      await tx
        .deleteFrom('member')
        .where('user_id', '=', app.botUserId)
        .where(
          'channel_id',
          'in',
          channels.map(({ id }) => id),
        )
        .execute();
    await more(tx);
  });
  const bot = directory.people.get(app.botUserId);
  if (bot) bot.deleted = true;
  for (const channel of channels) {
    channel.members.delete(app.botUserId);
    journal.record('channel', { channel: channel.id, change: 'members' });
  }
}

/** docs.slack.dev/reference/events/tokens_revoked: user ids, never the tokens. */
function tokensRevoked(app: App): EventBody {
  return { type: 'tokens_revoked', tokens: { oauth: [], bot: [app.botUserId] } };
}

/** The app's name, with a number behind it where somebody else has it. */
export function freeName(
  { directory }: Pick<Workspace, 'directory'>,
  { name, botUserId }: { name: string; botUserId?: string },
): string {
  for (let count = 1; ; count += 1) {
    const wanted = count === 1 ? name : `${name}${count}`;
    const holder = directory.personByName(wanted);
    if (!holder || holder.id === botUserId) return wanted;
  }
}
