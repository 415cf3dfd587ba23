import { LIMITS } from '../../limits.ts';
import type { ChannelKind } from '../../store/tables.ts';
import {
  addMember,
  channelNameError,
  createChannel,
  removeMember,
  renameChannel,
  setArchived,
  setNote,
} from '../../workspace/channels.ts';
import type { Channel, Person } from '../../workspace/directory.ts';
import { isTs } from '../../workspace/timestamps.ts';
import {
  type Answer,
  type Call,
  channelFor,
  flag,
  list,
  mayUse,
  memberChannelFor,
  method,
  openWith,
  pageOf,
  paging,
  required,
  SlackError,
  text,
} from '../method.ts';
import { channelInfo, channelShape } from '../shapes.ts';

/** docs.slack.dev/reference/methods/conversations.{list, info, members, join, invite} */
export const CONVERSATIONS = [
  method(
    'conversations.list',
    { types: text.optional(), exclude_archived: flag.optional(), ...paging },
    async (call, args) => {
      const found = ofTypes(call, args.types, args.exclude_archived === true);
      const { page, response_metadata } = pageOf(found, args);
      return { channels: page.map((channel) => channelShape(call, channel, true)), response_metadata };
    },
  ),

  method(
    'conversations.info',
    { channel: required, include_num_members: flag.optional() },
    async (call, args) => ({
      channel: channelInfo(call, channelFor(call, args.channel), args.include_num_members === true),
    }),
  ),

  method('conversations.members', { channel: required, ...paging }, async (call, args) => {
    const channel = channelFor(call, args.channel);
    const { page, response_metadata } = pageOf([...channel.members], args);
    return { members: page, response_metadata };
  }),

  method('conversations.join', { channel: required }, async (call, args) => {
    const channel = channelFor(call, args.channel);
    if (channel.kind !== 'channel') throw new SlackError('method_not_supported_for_channel_type');
    if (channel.isArchived) throw new SlackError('is_archived');
    const bot = call.workspace.directory.people.get(call.app.botUserId);
    if (!bot) throw new SlackError('user_not_found');
    const joined = addMember(call.workspace, channel, bot);
    return {
      channel: channelShape(call, channel, false),
      ...(joined
        ? {}
        : { warning: 'already_in_channel', response_metadata: { warnings: ['already_in_channel'] } }),
    };
  }),

  method(
    'conversations.invite',
    { channel: required, users: list, force: flag.optional() },
    async (call, args) => {
      const channel = memberChannelFor(call, args.channel);
      if (channel.kind === 'im' || channel.kind === 'mpim')
        throw new SlackError('method_not_supported_for_channel_type');
      if (channel.isArchived) throw new SlackError('is_archived');
      if (args.users.length === 0) throw new SlackError('no_user');
      if (args.users.length > LIMITS.inviteUsers) throw new SlackError('too_many_users');
      const { people } = call.workspace.directory;
      const errors = args.users.flatMap((user) => {
        const error = inviteError(call, channel, user);
        return error === undefined ? [] : [{ user, ok: false, error }];
      });
      const [first] = errors;
      // Without `force`, one invalid user makes the whole invitation fail.
      if (first && (args.force !== true || errors.length === args.users.length))
        throw new SlackError(first.error, { errors });
      for (const user of args.users) {
        const person = people.get(user);
        if (person && !errors.some((error) => error.user === user))
          addMember(call.workspace, channel, person, call.app.botUserId);
      }
      return { channel: channelShape(call, channel, false), ...(first ? { errors } : {}) };
    },
  ),
];

function inviteError(call: Call, channel: Channel, user: string): string | undefined {
  if (user === call.app.botUserId) return 'cant_invite_self';
  if (!call.workspace.directory.people.has(user)) return 'user_not_found';
  return channel.members.has(user) ? 'already_in_channel' : undefined;
}

const KIND_OF_TYPE: Record<string, ChannelKind> = {
  public_channel: 'channel',
  private_channel: 'group',
  im: 'im',
  mpim: 'mpim',
};

/** The conversations of the asked-for `types` (default: public channels) that exist for the app. */
export function ofTypes(call: Call, types: string | undefined, excludeArchived: boolean): Channel[] {
  const kinds = (types === undefined || types === '' ? 'public_channel' : types).split(',').map((type) => {
    const kind = KIND_OF_TYPE[type.trim()];
    if (!kind) throw new SlackError('invalid_types');
    mayUse(call, kind);
    return kind;
  });
  return [...call.workspace.directory.channels.values(), ...sharedWith(call)].filter(
    (channel) =>
      kinds.includes(channel.kind) &&
      (channel.kind === 'channel' || channel.members.has(call.app.botUserId)) &&
      !(excludeArchived && channel.isArchived),
  );
}

/** Channels of other workspaces of the organisation that this one has too. */
function sharedWith({ workspaces, workspace }: Call): Channel[] {
  const { id } = workspace.directory.team;
  return workspaces.all.flatMap(({ directory }) =>
    directory.channels.values().filter((channel) => channel.sharedWith.includes(id)),
  );
}

/** docs.slack.dev/reference/methods/conversations.{open, close, mark} */
export const CONVERSATION_OPEN = [
  method(
    'conversations.open',
    {
      users: list.optional(),
      channel: text.optional(),
      return_im: flag.optional(),
      prevent_creation: flag.optional(),
    },
    async (call, args) => {
      if (args.channel !== undefined && args.channel !== '') {
        const channel = memberChannelFor(call, args.channel);
        if (channel.kind !== 'im' && channel.kind !== 'mpim')
          throw new SlackError('method_not_supported_for_channel_type');
        return { ...opened(call, channel), channel: { id: channel.id } };
      }
      const users = [...new Set(args.users ?? [])];
      if (users.length === 0) throw new SlackError('users_list_not_supplied');
      if (users.length > LIMITS.openUsers) throw new SlackError('too_many_users');
      mayUse(call, users.length > 1 ? 'mpim' : 'im');
      const { channel, existed } = openWith(call, users, args.prevent_creation !== true);
      return {
        ...(existed ? opened(call, channel) : {}),
        channel: args.return_im === true ? channelShape(call, channel, false) : { id: channel.id },
      };
    },
  ),

  method('conversations.close', { channel: required }, async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    if (channel.kind !== 'im' && channel.kind !== 'mpim')
      throw new SlackError('method_not_supported_for_channel_type');
    return setOpen(call, channel, false) ? {} : { no_op: true, already_closed: true };
  }),

  method('conversations.mark', { channel: required, ts: text.default('') }, async (call, args) => {
    const channel = memberChannelFor(call, args.channel);
    if (!isTs(args.ts)) throw new SlackError('invalid_timestamp');
    call.workspace.db.update(
      'member',
      { channel_id: channel.id, user_id: call.app.botUserId },
      { last_read: args.ts },
    );
    return {};
  }),
];

/** Opens an existing direct conversation. */
function opened(call: Call, channel: Channel) {
  return setOpen(call, channel, true) ? {} : { no_op: true, already_open: true };
}

/** Returns false if it was unchanged. */
function setOpen({ app, workspace }: Call, channel: Channel, isOpen: boolean): boolean {
  const place = { channel_id: channel.id, user_id: app.botUserId };
  return workspace.db.update('member', { ...place, is_open: !isOpen }, { is_open: isOpen }) > 0;
}

/** docs.slack.dev/reference/methods/conversations.setTopic, …setPurpose: `too_long` above. */
const NOTE_CHARS = 250;

/**
 * docs.slack.dev/reference/methods/conversations.{create, rename, archive, unarchive, leave, kick, setTopic,
 * setPurpose}
 */
export const CONVERSATION_MANAGE = [
  method(
    'conversations.create',
    { name: text.default(''), is_private: flag.optional() },
    async (call, args) => {
      mayUse(call, args.is_private === true ? 'group' : 'channel');
      mustBeFree(call, args.name);
      const creator = botOf(call);
      const channel = createChannel(call.workspace, {
        name: args.name,
        isPrivate: args.is_private === true,
        creator,
      });
      return { channel: channelShape(call, channel, false) };
    },
  ),

  method('conversations.rename', { channel: required, name: text.default('') }, async (call, args) => {
    const channel = ordinary(memberChannelFor(call, args.channel));
    // Only the creator of a channel (or an admin) may rename it.
    if (channel.creator !== call.app.botUserId) throw new SlackError('not_authorized');
    if (channel.isArchived) throw new SlackError('is_archived');
    if (args.name !== channel.name) mustBeFree(call, args.name);
    renameChannel(call.workspace, channel, args.name, call.app.botUserId);
    return { channel: channelShape(call, channel, false) };
  }),

  method('conversations.archive', { channel: required }, async (call, args) => {
    const channel = ordinary(memberChannelFor(call, args.channel));
    if (channel.name === 'general') throw new SlackError('cant_archive_general');
    if (channel.isArchived) throw new SlackError('already_archived');
    setArchived(call.workspace, channel, true, call.app.botUserId);
    return {};
  }),

  method('conversations.unarchive', { channel: required }, async (call, args) => {
    const channel = ordinary(channelFor(call, args.channel));
    if (!channel.isArchived) throw new SlackError('not_archived');
    // The page's "Bug alert": bot tokens cannot unarchive.
    throw new SlackError('not_in_channel');
  }),

  method('conversations.leave', { channel: required }, async (call, args) => {
    const channel = ordinary(channelFor(call, args.channel));
    if (channel.isArchived) throw new SlackError('is_archived');
    if (channel.name === 'general') throw new SlackError('cant_leave_general');
    const isIn = channel.members.has(call.app.botUserId);
    if (isIn && channel.kind === 'group' && channel.members.size === 1) throw new SlackError('last_member');
    const left = isIn && removeMember(call.workspace, channel, botOf(call), call.app.botUserId);
    return left ? {} : { not_in_channel: true };
  }),

  method('conversations.kick', { channel: required, user: required }, async (call, args) => {
    const channel = ordinary(memberChannelFor(call, args.channel));
    if (args.user === call.app.botUserId) throw new SlackError('cant_kick_self');
    const person = call.workspace.directory.people.get(args.user);
    if (!person) throw new SlackError('user_not_found');
    if (channel.name === 'general') throw new SlackError('cant_kick_from_general');
    const removed = removeMember(call.workspace, channel, person, call.app.botUserId);
    if (!removed) throw new SlackError('not_in_channel');
    return {};
  }),

  method('conversations.setTopic', { channel: required, topic: text }, (call, args) =>
    note(call, args.channel, 'topic', args.topic),
  ),

  method('conversations.setPurpose', { channel: required, purpose: text }, (call, args) =>
    note(call, args.channel, 'purpose', args.purpose),
  ),
];

/** Direct conversations cannot be created, renamed or left. */
function ordinary(channel: Channel): Channel {
  if (channel.kind === 'im' || channel.kind === 'mpim')
    throw new SlackError('method_not_supported_for_channel_type');
  return channel;
}

function mustBeFree(call: Call, name: string): void {
  const error = channelNameError(name);
  if (error !== undefined) throw new SlackError(error);
  if (call.workspace.directory.channelByName(name)) throw new SlackError('name_taken');
}

function botOf(call: Call): Person {
  const bot = call.workspace.directory.people.get(call.app.botUserId);
  if (!bot) throw new SlackError('user_not_found');
  return bot;
}

function note(call: Call, name: string, which: 'topic' | 'purpose', value: string): Answer {
  const channel = memberChannelFor(call, name);
  if (channel.kind === 'im') throw new SlackError('method_not_supported_for_channel_type');
  if (channel.isArchived) throw new SlackError('is_archived');
  if (value.length > NOTE_CHARS) throw new SlackError('too_long');
  setNote(call.workspace, channel, which, value, call.app.botUserId);
  return { channel: channelShape(call, channel, false), [which]: value };
}
