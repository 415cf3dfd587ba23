import type { Tables } from '../store/tables.ts';
import { type Channel, type ChannelNote, isExtShared } from '../workspace/directory.ts';
import type { Answer, Call } from './method.ts';

/** A conversation as conversations.info gives it: with how far the app has read it, where it is a member. */
export function channelInfo(call: Call, channel: Channel, members: boolean): Answer {
  const member = membership(call, channel);
  return { ...channelShape(call, channel, members), ...(member ? { last_read: member.last_read } : {}) };
}

/** A conversation as lists have it (docs.slack.dev/reference/objects/conversation-object). */
export function channelShape(call: Call, channel: Channel, members: boolean): Answer {
  const { app } = call;
  const common = {
    id: channel.id,
    created: channel.createdAt,
    creator: channel.creator,
    is_archived: channel.isArchived,
    is_frozen: false,
    is_moved: 0,
    unlinked: 0,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: channel.kind === 'im',
    is_mpim: channel.kind === 'mpim',
    is_org_shared: channel.sharedWith.length > 0,
    is_shared: isExtShared(channel) || channel.sharedWith.length > 0,
    is_ext_shared: isExtShared(channel),
    is_pending_ext_shared: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    parent_conversation: null,
    context_team_id: hostOf(call, channel),
    updated: channel.createdAt * 1000,
  };
  if (channel.kind === 'im')
    return {
      ...common,
      user: [...channel.members].find((id) => id !== app.botUserId) ?? app.botUserId,
      is_user_deleted: false,
      is_open: membership(call, channel)?.is_open ?? false,
      priority: 0,
    };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_private: channel.kind !== 'channel',
    is_general: channel.name === 'general',
    is_member: channel.members.has(app.botUserId),
    shared_team_ids: [hostOf(call, channel), ...channel.sharedWith, ...channel.connectedTeams],
    topic: noteShape(channel.topic),
    purpose: noteShape(channel.purpose),
    previous_names: channel.previousNames,
    ...(isExtShared(channel) ? connection(call, channel) : {}),
    ...(members ? { num_members: channel.members.size } : {}),
  };
}

/**
 * With whom a channel is shared, and who hosts it (docs.slack.dev/apis/slack-connect, "Same channel, different
 * setting").
 */
function connection(call: Call, channel: Channel): Answer {
  const own = hostOf(call, channel);
  return {
    conversation_host_id: channel.hostTeamId ?? own,
    internal_team_ids: [own, ...channel.sharedWith],
    connected_team_ids: channel.connectedTeams,
  };
}

function membership({ app, workspace }: Call, { id }: Channel): Tables['member'] | undefined {
  return workspace.db
    .query<Tables['member']>('select * from member where channel_id = ? and user_id = ?')
    .get(id, app.botUserId);
}

/** The workspace in which the channel was made: another one where it is shared within an organisation. */
function hostOf({ workspaces, workspace }: Call, { id }: Channel): string {
  return (workspaces.ofChannel(id) ?? workspace).directory.team.id;
}

function noteShape({ value, by, at }: ChannelNote): Answer {
  return { value, creator: by, last_set: at };
}
