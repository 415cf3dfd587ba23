import type { Channel } from './directory.ts';
import type { Workspace } from './workspace.ts';

/** Makes a channel or a direct conversation with those who are in it from its first moment; tells nobody. */
export function newChannel(
  workspace: Workspace,
  { kind, name, creator, members }: Pick<Channel, 'kind' | 'name' | 'creator'> & { members: string[] },
): Channel {
  const { db, directory, ids, clock, journal } = workspace;
  const id = ids.slackId(kind === 'im' ? 'D' : 'C');
  db.transaction(() => {
    db.insert('channel', {
      id,
      team_id: directory.team.id,
      name,
      kind,
      creator,
      created_at: Math.floor(clock.now().getTime() / 1000),
    });
    for (const user_id of members) db.insert('member', { channel_id: id, user_id });
  });
  journal.record('channel', { channel: id, change: 'created' });
  const channel = directory.channels.get(id);
  if (!channel) throw new Error('a channel was not stored');
  return channel;
}
