import { personOf } from './directory.ts';
import type { Workspace } from './workspace.ts';

/** The bot of an app that is not connected here: it only speaks. */
export interface OtherBot {
  id: string;
  app_id: string;
  user_id: string;
  name: string;
}

/** The bot of this name; made, with its bot user, where there is none yet. A workflow's bot user says so. */
export async function otherBot(workspace: Workspace, name: string, isWorkflowBot = false): Promise<OtherBot> {
  const { db, ids, directory } = workspace;
  const known = await findOtherBot(workspace, { name });
  if (known) return known;
  const team_id = directory.team.id;
  const bot: OtherBot = { id: ids.slackId('B'), app_id: ids.slackId('A'), user_id: ids.slackId('U'), name };
  await db
    .insertInto('other_bot')
    .values({ ...bot, team_id })
    .execute();
  const row = await db
    .insertInto('person')
    .values({
      id: bot.user_id,
      workspace_id: team_id,
      name,
      first_name: name,
      last_name: '',
      email: '',
      time_zone: 'UTC',
      is_bot: true,
      is_workflow_bot: isWorkflowBot,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  directory.people.set(row.id, personOf(row));
  workspace.journal.record('person', { person: row.id, change: 'added' });
  return bot;
}

export function findOtherBot(
  { db, directory }: Workspace,
  by: { id: string } | { name: string },
): Promise<OtherBot | undefined> {
  const query = db.selectFrom('other_bot').selectAll().where('team_id', '=', directory.team.id);
  return ('id' in by ? query.where('id', '=', by.id) : query.where('name', '=', by.name)).executeTakeFirst();
}
