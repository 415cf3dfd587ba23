import { botUser } from './apply-seed.ts';
import type { Workspace } from './workspace.ts';

/** The bot of an app that is not connected here: it only speaks. */
export interface OtherBot {
  id: string;
  app_id: string;
  user_id: string;
  name: string;
}

/** The bot of this name; made, with its bot user, where there is none yet. A workflow's bot user says so. */
export function otherBot(workspace: Workspace, name: string, isWorkflowBot = false): OtherBot {
  const { db, ids, directory } = workspace;
  const known = findOtherBot(workspace, { name });
  if (known) return known;
  const team_id = directory.team.id;
  const bot: OtherBot = { id: ids.slackId('B'), app_id: ids.slackId('A'), user_id: ids.slackId('U'), name };
  db.transaction(() => {
    db.insert('other_bot', { ...bot, team_id });
    db.insert('person', { ...botUser(name, team_id, bot.user_id), is_workflow_bot: isWorkflowBot });
  });
  workspace.journal.record('person', { person: bot.user_id, change: 'added' });
  return bot;
}

export function findOtherBot(
  { db, directory }: Workspace,
  by: { id: string } | { name: string },
): OtherBot | undefined {
  const [column, value] = 'id' in by ? ['id', by.id] : ['name', by.name];
  return db
    .query<OtherBot>(`select * from other_bot where team_id = ? and ${column} = ?`)
    .get(directory.team.id, value);
}
