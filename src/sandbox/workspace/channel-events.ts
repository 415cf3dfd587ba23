import type { App, Channel } from './directory.ts';

/*
 * Events of channels (docs.slack.dev/reference/events). A private channel has `group_…` where a
 * public one has `channel_…`.
 */

export function channelCreated(channel: Channel, teamId: string, eventTs: string) {
  return {
    type: 'channel_created' as const,
    channel: {
      id: channel.id,
      name: channel.name,
      name_normalized: channel.name,
      created: channel.createdAt,
      creator: channel.creator,
      is_channel: true,
      is_group: false,
      is_im: false,
      is_mpim: false,
      is_private: false,
      is_archived: false,
      is_frozen: false,
      is_general: false,
      is_shared: false,
      is_org_shared: false,
      is_ext_shared: false,
      is_pending_ext_shared: false,
      context_team_id: teamId,
    },
    event_ts: eventTs,
  };
}

export function channelRenamed(channel: Channel, name: string, eventTs: string) {
  return {
    type: isPublic(channel) ? ('channel_rename' as const) : ('group_rename' as const),
    channel: {
      id: channel.id,
      name,
      name_normalized: name,
      created: channel.createdAt,
      is_channel: isPublic(channel),
      is_mpim: false,
    },
    event_ts: eventTs,
  };
}

export function channelArchived(channel: Channel, actor: string, eventTs: string) {
  return {
    type: isPublic(channel) ? ('channel_archive' as const) : ('group_archive' as const),
    channel: channel.id,
    user: actor,
    is_moved: 0,
    event_ts: eventTs,
  };
}

export function channelUnarchived(channel: Channel, actor: string, eventTs: string) {
  return isPublic(channel)
    ? { type: 'channel_unarchive' as const, channel: channel.id, user: actor, event_ts: eventTs }
    : { type: 'group_unarchive' as const, channel: channel.id, actor_id: actor, event_ts: eventTs };
}

/** Another organisation shares the channel from now on. */
export function channelShared(channel: Channel, team: string, eventTs: string) {
  return { type: 'channel_shared' as const, connected_team_id: team, channel: channel.id, event_ts: eventTs };
}

/** It no longer does; `isExtShared`: others still do. */
export function channelUnshared(channel: Channel, team: string, isExtShared: boolean, eventTs: string) {
  return {
    type: 'channel_unshared' as const,
    previously_connected_team_id: team,
    channel: channel.id,
    is_ext_shared: isExtShared,
    event_ts: eventTs,
  };
}

/** For the app that left or was removed. */
export function channelLeft(channel: Channel, actor: string, eventTs: string) {
  return {
    type: isPublic(channel) ? ('channel_left' as const) : ('group_left' as const),
    channel: channel.id,
    actor_id: actor,
    event_ts: eventTs,
  };
}

export function channelDeleted(channel: Channel, actor: string, now: Date) {
  const event_ts = (now.getTime() / 1000).toFixed(6);
  return isPublic(channel)
    ? { type: 'channel_deleted' as const, channel: channel.id, actor_id: actor, event_ts }
    : {
        type: 'group_deleted' as const,
        channel: channel.id,
        date_deleted: Math.floor(now.getTime() / 1000),
        actor_id: actor,
        event_ts,
      };
}

interface Membership {
  user: string;
  team: string;
  eventTs: string;
  inviter?: string | undefined;
}

export function memberJoined(channel: Channel, { user, team, eventTs, inviter }: Membership) {
  return {
    type: 'member_joined_channel' as const,
    user,
    channel: channel.id,
    channel_type: isPublic(channel) ? 'C' : 'G',
    team,
    ...(inviter === undefined ? {} : { inviter }),
    event_ts: eventTs,
  };
}

export function memberLeft(channel: Channel, { user, team, eventTs }: Membership) {
  return {
    type: 'member_left_channel' as const,
    user,
    channel: channel.id,
    channel_type: isPublic(channel) ? 'C' : 'G',
    team,
    event_ts: eventTs,
  };
}

/** A direct conversation of a person and an app was made. */
export function imCreated(channel: Channel, app: App) {
  return {
    type: 'im_created' as const,
    user: [...channel.members].find((id) => id !== app.botUserId) ?? app.botUserId,
    channel: { id: channel.id, created: channel.createdAt, creator: channel.creator, is_im: true },
    event_ts: `${channel.createdAt}.000000`,
  };
}

function isPublic(channel: Channel): boolean {
  return channel.kind === 'channel';
}
