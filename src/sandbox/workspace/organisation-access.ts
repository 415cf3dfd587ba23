import type { App, Organisation } from './directory.ts';
import { activateBotUser, leaveChannels } from './installations.ts';
import type { Workspace } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

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

/** Takes an app out of an organisation and all of its workspaces: its tokens end, and it hears of both. */
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
