import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import { botUser } from './apply-seed.ts';
import type { BotToken, RegisteredApp } from './apps.ts';
import { type App, appOf, type Organisation } from './directory.ts';
import type { EventBody, Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * Installs an app, or installs it again: the same bot user as before, and the scopes of all times together
 * (docs.slack.dev/authentication/installing-with-oauth). A bot user that was deactivated is active again.
 */
export function install(workspace: Workspace, app: RegisteredApp, scopes: readonly string[]): App {
  const { db, directory, ids, journal } = workspace;
  const place = { app_id: app.id, team_id: directory.team.id };
  const { row, existed } = db.transaction(() => {
    const known = db
      .query<Tables['installation']>('select * from installation where app_id = ? and team_id = ?')
      .get(place.app_id, place.team_id);
    const userId = known?.bot_user_id ?? ids.slackId('U');
    const before = directory.people.has(userId);
    const installed = db.upsert('installation', ['app_id', 'team_id'], {
      ...place,
      bot_user_id: userId,
      bot_id: known?.bot_id ?? ids.slackId('B'),
      // No list means everything: nothing can be added to that.
      scopes: known && !known.scopes ? null : [...new Set([...(known?.scopes ?? []), ...scopes])],
      active: true,
      by_organisation: false,
    });
    activateBotUser(workspace, app, userId);
    return { row: installed, existed: before };
  });
  journal.record('person', { person: row.bot_user_id, change: existed ? 'changed' : 'added' });
  return appOf({ ...row, name: app.name });
}

/** Adds the bot user of an app, or activates it again. */
export function activateBotUser(workspace: Workspace, app: { name: string }, userId: string): void {
  const { db, directory } = workspace;
  const workspace_id = directory.team.id;
  if (db.update('person', { workspace_id, id: userId }, { deleted: false }) === 0)
    db.insert('person', botUser(freeName(workspace, app), workspace_id, userId));
}

/** Takes an app out of a workspace: its tokens end, and it gets `app_uninstalled` and `tokens_revoked`. */
export function uninstall(workspaces: Workspaces, workspace: Workspace, app: App): void {
  end(workspaces, workspace, app, workspaces.tokens.of(app.id, workspace.directory.team.id), (db) =>
    db.update(
      'installation',
      { app_id: app.id, team_id: workspace.directory.team.id },
      { active: false, scopes: [] },
    ),
  );
  workspace.tell({ type: 'app_uninstalled' }, [app]);
  workspace.tell(tokensRevoked(app), [app]);
}

/** Ends one token; with the last one the bot user is deactivated, though the app stays (`tokens_revoked`). */
export function revoke(workspaces: Workspaces, workspace: Workspace, app: App, token: BotToken): void {
  const others = workspaces.tokens
    .valid(app.id, workspace.directory.team.id)
    .filter((one) => one.token !== token.token);
  if (others.length > 0) {
    workspaces.tokens.end([token]);
    return;
  }
  end(workspaces, workspace, app, [token], () => undefined);
  workspace.tell(tokensRevoked(app), [app]);
}

/** Ends tokens with the bot user's part in the workspace. */
function end(
  workspaces: Workspaces,
  workspace: Workspace,
  app: App,
  tokens: readonly BotToken[],
  more: (db: Database) => unknown,
): void {
  leaveChannels(workspace, app, more);
  workspaces.tokens.end(tokens);
}

/** Deactivates the bot user and takes it out of every channel, with what `more` changes; direct conversations stay. */
export function leaveChannels(
  { db, directory, journal }: Workspace,
  app: App,
  more: (db: Database) => unknown,
): void {
  const channels = directory.channels
    .values()
    .filter(({ kind, members }) => (kind === 'channel' || kind === 'group') && members.has(app.botUserId));
  db.transaction(() => {
    db.update('person', { id: app.botUserId, workspace_id: directory.team.id }, { deleted: true });
    for (const { id } of channels)
      db.run('delete from member where channel_id = ? and user_id = ?', id, app.botUserId);
    more(db);
  });
  for (const { id } of channels) journal.record('channel', { channel: id, change: 'members' });
}

/** docs.slack.dev/reference/events/tokens_revoked: user ids, never the tokens. */
function tokensRevoked(app: App): EventBody {
  return { type: 'tokens_revoked', tokens: { oauth: [], bot: [app.botUserId] } };
}

/** The app's name, with a number behind it where it is taken. */
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

/** The workspaces of an organisation into which an app is let. */
export function openTo(workspaces: Workspaces, organisation: Organisation, app: App): Workspace[] {
  return workspaces.all.filter(
    ({ directory }) =>
      directory.team.organisation?.id === organisation.id &&
      directory.apps.get(app.id)?.byOrganisation === true,
  );
}

/**
 * Lets the app of an organisation into one of its workspaces: its bot user is there too, and it hears
 * `team_access_granted` (docs.slack.dev/reference/events/team_access_granted).
 */
export function letIn(workspace: Workspace, organisation: Organisation, app: App): void {
  const { db, directory } = workspace;
  const team_id = directory.team.id;
  db.transaction(() => {
    db.upsert('installation', ['app_id', 'team_id'], {
      app_id: app.id,
      team_id,
      scopes: app.scopes ? [...app.scopes] : null,
      bot_user_id: app.botUserId,
      bot_id: app.botId,
      active: true,
      by_organisation: true,
    });
    activateBotUser(workspace, app, app.botUserId);
  });
  workspace.journal.record('person', { person: app.botUserId, change: 'added' });
  workspace.tellOfOrganisation(organisation, { type: 'team_access_granted', team_ids: [team_id] }, app);
}

/** Takes the app of an organisation out of one of its workspaces: `team_access_revoked`, unless all of it ends. */
export function shutOut(
  workspace: Workspace,
  organisation: Organisation,
  app: App,
  { tells = true } = {},
): void {
  const team_id = workspace.directory.team.id;
  leaveChannels(workspace, app, (db) =>
    db.update('installation', { app_id: app.id, team_id }, { active: false, scopes: [] }),
  );
  if (tells)
    workspace.tellOfOrganisation(organisation, { type: 'team_access_revoked', team_ids: [team_id] }, app);
}

/** Takes an app out of an organisation and all of its workspaces: its tokens end, and it gets both events. */
export function uninstallFromOrganisation(
  workspaces: Workspaces,
  organisation: Organisation,
  app: App,
): void {
  for (const workspace of openTo(workspaces, organisation, app))
    shutOut(workspace, organisation, app, { tells: false });
  workspaces.organisations.uninstall(organisation, app);
  workspaces.tokens.end(workspaces.tokens.of(app.id, organisation.id));
  const tell = (event: { type: string } & Record<string, unknown>) =>
    workspaces.default.tellOfOrganisation(organisation, event, app);
  tell({ type: 'app_uninstalled' });
  tell({ type: 'tokens_revoked', tokens: { oauth: [], bot: [app.botUserId] } });
}
