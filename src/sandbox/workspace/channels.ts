import {
  channelArchived,
  channelCreated,
  channelDeleted,
  channelLeft,
  channelRenamed,
  channelUnarchived,
  memberLeft,
} from './channel-events.ts';
import { addMember } from './conversations.ts';
import type { App, Channel, Person } from './directory.ts';
import { postMessage } from './messages.ts';
import { newChannel } from './new-channel.ts';
import type { MessageContent } from './content.ts';
import type { Change, Workspace } from './workspace.ts';

/** Those who hear what happens to a channel itself: every app for a public one, else the apps in it. */
function hearers({ directory }: Workspace, channel: Channel): App[] {
  return channel.kind === 'channel' ? [...directory.apps.values()] : directory.appsIn(channel);
}

/** Makes a channel with its creator in it; tells every app of a public one (`channel_created`). */
export async function createChannel(
  workspace: Workspace,
  wanted: { name: string; isPrivate: boolean; creator: Person },
): Promise<Channel> {
  const { directory } = workspace;
  const channel = await newChannel(workspace, {
    kind: wanted.isPrivate ? 'group' : 'channel',
    name: wanted.name,
    creator: wanted.creator.id,
    members: [],
  });
  if (channel.kind === 'channel')
    await workspace.change(channel, async (change) =>
      change.emit(channelCreated(channel, directory.team.id, change.ts), hearers(workspace, channel)),
    );
  await addMember(workspace, channel, wanted.creator);
  return channel;
}

/**
 * Takes someone out of a channel: `member_left_channel` for the apps that stay, `channel_left` for the app that goes,
 * and the line in the channel (`channel_leave`). False where they were not in it.
 */
export async function removeMember(
  workspace: Workspace,
  channel: Channel,
  person: Person,
  actor: string,
): Promise<boolean> {
  const left = await workspace.change(channel, async (change) => {
    const result = await change.tx
      .deleteFrom('member')
      .where('channel_id', '=', channel.id)
      .where('user_id', '=', person.id)
      .executeTakeFirst();
    if (result.numDeletedRows === 0n) return false;
    const app = workspace.directory.appOfBotUser(person.id);
    if (app) change.emit(channelLeft(channel, actor, change.ts), [app]);
    // Before the transaction ends, so that an app which leaves hears no more of the channel.
    channel.members.delete(person.id);
    change.emit(
      memberLeft(channel, { user: person.id, team: workspace.directory.team.id, eventTs: change.ts }),
    );
    noteMembers(workspace, change);
    return true;
  });
  if (left)
    await say(workspace, channel, person.id, {
      subtype: 'channel_leave',
      text: `<@${person.id}> has left the channel`,
    });
  return left;
}

/** Archives a channel or opens it again: the event, and the line in the channel. */
export async function setArchived(
  workspace: Workspace,
  channel: Channel,
  archived: boolean,
  actor: string,
): Promise<void> {
  await workspace.change(channel, async (change) => {
    await change.tx
      .updateTable('channel')
      .set({ is_archived: archived })
      .where('id', '=', channel.id)
      .execute();
    const event = archived
      ? channelArchived(channel, actor, change.ts)
      : channelUnarchived(channel, actor, change.ts);
    change.emit(event, hearers(workspace, channel));
    change.afterwards(() => (channel.isArchived = archived));
    noteMembers(workspace, change);
  });
  await say(workspace, channel, actor, {
    subtype: archived ? 'channel_archive' : 'channel_unarchive',
    text: `<@${actor}> ${archived ? 'archived' : 'un-archived'} the channel`,
  });
}

/** Gives a channel another name: `channel_rename`, and the line in the channel (`channel_name`). */
export async function renameChannel(
  workspace: Workspace,
  channel: Channel,
  name: string,
  actor: string,
): Promise<void> {
  const old = channel.name;
  if (old === name) return;
  const previous = [...channel.previousNames.filter((known) => known !== old), old];
  await workspace.change(channel, async (change) => {
    await change.tx
      .updateTable('channel')
      .set({ name, previous_names: previous })
      .where('id', '=', channel.id)
      .execute();
    change.emit(channelRenamed(channel, name, change.ts), hearers(workspace, channel));
    change.afterwards(() => {
      channel.name = name;
      channel.previousNames = previous;
    });
    noteMembers(workspace, change);
  });
  await say(workspace, channel, actor, {
    subtype: 'channel_name',
    old_name: old,
    name,
    text: `<@${actor}> has renamed the channel from "${old}" to "${name}"`,
  });
}

/** Sets a channel's topic or purpose: the line in the channel tells it, no other event does. */
export async function setNote(
  workspace: Workspace,
  channel: Channel,
  which: 'topic' | 'purpose',
  value: string,
  actor: string,
): Promise<void> {
  if (channel[which].value === value) return;
  await workspace.change(channel, async (change) => {
    const at = Math.floor(change.now.getTime() / 1000);
    await change.tx
      .updateTable('channel')
      .set(
        which === 'topic'
          ? { topic: value, topic_by: actor, topic_at: at }
          : { purpose: value, purpose_by: actor, purpose_at: at },
      )
      .where('id', '=', channel.id)
      .execute();
    change.afterwards(() => (channel[which] = { value, by: actor, at }));
    noteMembers(workspace, change);
  });
  await say(workspace, channel, actor, {
    subtype: `channel_${which}`,
    [which]: value,
    text:
      value === ''
        ? `<@${actor}> cleared the channel ${which}`
        : `<@${actor}> set the channel ${which}: ${value}`,
  });
}

/** Deletes a channel with everything in it: `channel_deleted`, or `group_deleted` for the apps that were in it. */
export async function deleteChannel(workspace: Workspace, channel: Channel, actor: string): Promise<void> {
  const to = hearers(workspace, channel);
  const now = workspace.clock.now();
  await workspace.db.deleteFrom('channel').where('id', '=', channel.id).execute();
  workspace.directory.channels.delete(channel.id);
  await workspace.tell(channelDeleted(channel, actor, now), to);
  workspace.journal.record('channel', { channel: channel.id, change: 'members' });
}

/** Marks a channel as shared with another organisation, or no longer. */
export async function setShared(workspace: Workspace, channel: Channel, shared: boolean): Promise<void> {
  await workspace.change(channel, async (change) => {
    await change.tx
      .updateTable('channel')
      .set({ is_ext_shared: shared })
      .where('id', '=', channel.id)
      .execute();
    change.afterwards(() => (channel.isExtShared = shared));
    noteMembers(workspace, change);
  });
}

/** Gives a channel to further workspaces of the organisation, by their ids; none takes it away from them. */
export async function setSharedWith(
  workspace: Workspace,
  channel: Channel,
  teams: readonly string[],
): Promise<void> {
  await workspace.change(channel, async (change) => {
    await change.tx
      .updateTable('channel')
      .set({ shared_with: [...teams] })
      .where('id', '=', channel.id)
      .execute();
    change.afterwards(() => (channel.sharedWith = teams));
    noteMembers(workspace, change);
  });
}

/** A line that Slack writes in a channel about what `actor` did there. */
export async function say(
  workspace: Workspace,
  channel: Channel,
  actor: string,
  content: Omit<MessageContent, 'type' | 'user'>,
): Promise<void> {
  await postMessage(workspace, channel, {
    author: actor,
    autoBlocks: true,
    content: { type: 'message', user: actor, team: workspace.directory.team.id, ...content },
  });
}

function noteMembers({ journal }: Workspace, change: Change): void {
  change.afterwards(() => journal.record('channel', { channel: change.channel.id, change: 'members' }));
}
