import { transaction } from '../../platform/database/open.ts';
import { type Channel, NO_NOTE } from './directory.ts';
import type { Workspace } from './workspace.ts';

/** Makes a channel or a direct conversation with those who are in it from its first moment; tells nobody. */
export async function newChannel(
  workspace: Workspace,
  { kind, name, creator, members }: Pick<Channel, 'kind' | 'name' | 'creator'> & { members: string[] },
): Promise<Channel> {
  const channel: Channel = {
    id: workspace.ids.slackId(kind === 'im' ? 'D' : 'C'),
    name,
    kind,
    isArchived: false,
    creator,
    createdAt: Math.floor(workspace.clock.now().getTime() / 1000),
    members: new Set(members),
    topic: NO_NOTE,
    purpose: NO_NOTE,
    previousNames: [],
    isExtShared: false,
    sharedWith: [],
  };
  await transaction(workspace.db, async (tx) => {
    await tx
      .insertInto('channel')
      .values({
        id: channel.id,
        team_id: workspace.directory.team.id,
        name,
        kind,
        is_archived: false,
        creator,
        created_at: channel.createdAt,
      })
      .execute();
    if (members.length > 0)
      await tx
        .insertInto('member')
        .values(members.map((user_id) => ({ channel_id: channel.id, user_id })))
        .execute();
  });
  workspace.directory.channels.set(channel.id, channel);
  workspace.journal.record('channel', { channel: channel.id, change: 'created' });
  return channel;
}
