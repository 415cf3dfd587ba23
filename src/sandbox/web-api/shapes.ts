import type { App, Channel, ChannelNote, Person } from '../workspace/directory.ts';
import type { Answer, Call } from './method.ts';

/** A person as users.info gives them (docs.slack.dev/reference/objects/user-object). */
export function userShape({ workspace, baseUrl }: Call, person: Person): Answer {
  const { team, apps } = workspace.directory;
  const realName = [person.firstName, person.lastName].filter(Boolean).join(' ');
  const app = [...apps.values()].find(({ botUserId }) => botUserId === person.id);
  const picture = `${baseUrl}/avatar/${person.id}.svg`;
  const zone = zoneFacts(person.timeZone, workspace.clock.now());
  return {
    id: person.id,
    team_id: team.id,
    name: person.name,
    deleted: false,
    color: '4bbe2e',
    real_name: realName,
    tz: person.timeZone,
    tz_label: zone.label,
    tz_offset: zone.offsetSeconds,
    profile: {
      title: '',
      phone: '',
      skype: '',
      real_name: realName,
      real_name_normalized: realName,
      display_name: person.isBot ? '' : person.name,
      display_name_normalized: person.isBot ? '' : person.name,
      status_text: '',
      status_emoji: '',
      avatar_hash: 'sandbox',
      first_name: person.firstName,
      last_name: person.lastName,
      ...(person.email === '' ? {} : { email: person.email }),
      ...(app ? { bot_id: app.botId, api_app_id: app.id, always_active: false } : {}),
      image_24: picture,
      image_32: picture,
      image_48: picture,
      image_72: picture,
      image_192: picture,
      image_512: picture,
      team: team.id,
    },
    is_admin: false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: person.isGuest,
    is_ultra_restricted: false,
    is_bot: person.isBot,
    is_app_user: false,
    is_email_confirmed: !person.isBot,
    updated: 0,
  };
}

function zoneFacts(timeZone: string, now: Date): { label: string; offsetSeconds: number } {
  const part = (style: 'long' | 'longOffset') =>
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: style })
      .formatToParts(now)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(part('longOffset'));
  const seconds = match ? (Number(match[2]) * 60 + Number(match[3])) * 60 : 0;
  return { label: part('long'), offsetSeconds: match?.[1] === '-' ? -seconds : seconds };
}

/** A conversation as conversations.info gives it (docs.slack.dev/reference/objects/conversation-object). */
export function channelShape({ workspace, app }: Call, channel: Channel, members: boolean): Answer {
  const common = {
    id: channel.id,
    created: channel.createdAt,
    creator: channel.creator,
    is_archived: channel.isArchived,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: channel.kind === 'im',
    is_mpim: channel.kind === 'mpim',
    is_org_shared: false,
    is_shared: channel.isExtShared,
    is_ext_shared: channel.isExtShared,
    is_pending_ext_shared: false,
    context_team_id: workspace.directory.team.id,
    updated: channel.createdAt * 1000,
  };
  if (channel.kind === 'im')
    return {
      ...common,
      user: [...channel.members].find((id) => id !== app.botUserId) ?? app.botUserId,
      is_user_deleted: false,
      is_open: true,
      priority: 0,
    };
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_private: channel.kind !== 'channel',
    is_general: channel.name === 'general',
    is_member: channel.members.has(app.botUserId),
    shared_team_ids: [workspace.directory.team.id],
    topic: noteShape(channel.topic),
    purpose: noteShape(channel.purpose),
    previous_names: channel.previousNames,
    ...(members ? { num_members: channel.members.size } : {}),
  };
}

function noteShape({ value, by, at }: ChannelNote): Answer {
  return { value, creator: by, last_set: at };
}

export function botShape(app: App): Answer {
  return {
    id: app.botId,
    deleted: false,
    name: app.name,
    updated: 0,
    app_id: app.id,
    user_id: app.botUserId,
    icons: {},
  };
}
