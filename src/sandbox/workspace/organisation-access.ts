import { transaction } from '../../platform/database/open.ts';
import { botUser } from './apply-seed.ts';
import { type App, appOf, type Organisation, personOf } from './directory.ts';
import { freeName, leaveChannels } from './installations.ts';
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
export async function letIn(workspace: Workspace, organisation: Organisation, app: App): Promise<void> {
  const { db, directory } = workspace;
  const team_id = directory.team.id;
  const { row, person } = await transaction(db, async (tx) => {
    const values = { bot_user_id: app.botUserId, bot_id: app.botId, active: true, by_organisation: true };
    const scopes = app.scopes ? [...app.scopes] : null;
    const installed = await tx
      .insertInto('installation')
      .values({ app_id: app.id, team_id, scopes, ...values })
      .onConflict((conflict) => conflict.columns(['app_id', 'team_id']).doUpdateSet({ scopes, ...values }))
      .returningAll()
      .executeTakeFirstOrThrow();
    const bot = await tx
      .insertInto('person')
      .values(botUser(freeName(workspace, app), team_id, app.botUserId))
      .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet({ deleted: false }))
      .returningAll()
      .executeTakeFirstOrThrow();
    return { row: installed, person: personOf(bot) };
  });
  directory.people.set(person.id, person);
  directory.apps.set(app.id, appOf({ ...row, name: app.name }));
  workspace.journal.record('person', { person: person.id, change: 'added' });
  await workspace.tellOfOrganisation(organisation, { type: 'team_access_granted', team_ids: [team_id] }, app);
}

/** Takes the app of an organisation out of one of its workspaces: `team_access_revoked`, unless all of it ends. */
export async function shutOut(
  workspace: Workspace,
  organisation: Organisation,
  app: App,
  { tells = true } = {},
): Promise<void> {
  const team_id = workspace.directory.team.id;
  await leaveChannels(workspace, app, async (tx) =>
    tx
      .updateTable('installation')
      .set({ active: false, scopes: [] })
      .where('app_id', '=', app.id)
      .where('team_id', '=', team_id)
      .execute(),
  );
  workspace.directory.apps.delete(app.id);
  if (tells)
    await workspace.tellOfOrganisation(
      organisation,
      { type: 'team_access_revoked', team_ids: [team_id] },
      app,
    );
}

/** Takes an app out of an organisation and all of its workspaces: its tokens end, and it hears of both. */
export async function uninstallFromOrganisation(
  workspaces: Workspaces,
  organisation: Organisation,
  app: App,
): Promise<void> {
  for (const workspace of openTo(workspaces, organisation, app))
    await shutOut(workspace, organisation, app, { tells: false });
  await workspaces.organisations.uninstall(organisation, app);
  await workspaces.tokens.end(workspaces.tokens.of(app.id, organisation.id));
  const tell = (event: { type: string } & Record<string, unknown>) =>
    workspaces.default.tellOfOrganisation(organisation, event, app);
  await tell({ type: 'app_uninstalled' });
  await tell({ type: 'tokens_revoked', tokens: { oauth: [], bot: [app.botUserId] } });
}
