import { z } from 'zod';

import { isEmojiName } from '../../../platform/text/emoji.ts';
import { LIMITS } from '../../limits.ts';
import type { Tables } from '../../store/tables.ts';
import type { Channel } from '../../workspace/directory.ts';
import { apiMessage, findMessage, permalinkOf } from '../../workspace/message-store.ts';
import { pinsOf, setPin, setReaction } from '../../workspace/reactions.ts';
import { isTs } from '../../workspace/timestamps.ts';
import {
  type Answer,
  type Call,
  channelFor,
  memberChannelFor,
  method,
  required,
  SlackError,
  text,
} from '../method.ts';

const pinArguments = z.object({ channel: required, timestamp: text.optional() });

/** docs.slack.dev/reference/methods/pins.{add, remove, list} */
export const PINS = [
  method('pins.add', pinArguments, (call, args) => pin(call, args, true)),
  method('pins.remove', pinArguments, (call, args) => pin(call, args, false)),
  method('pins.list', { channel: required }, async (call, args) => ({
    items: pinsOf(call.workspace, memberChannelFor(call, args.channel)),
  })),
];

function pin(call: Call, args: z.output<typeof pinArguments>, present: boolean): Answer {
  const channel = memberChannelFor(call, args.channel);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (args.timestamp === undefined || args.timestamp === '') throw new SlackError('no_item_specified');
  if (!isTs(args.timestamp)) throw new SlackError('bad_timestamp');
  const outcome = setPin(call.workspace, channel, { ts: args.timestamp, user: call.app.botUserId, present });
  if (outcome !== 'done') throw new SlackError(outcome);
  return {};
}

const item = { channel: text.default(''), timestamp: text.default('') };
const reactionArguments = z.object({ ...item, name: text.default('') });

/** docs.slack.dev/reference/methods/reactions.{add, remove, get} */
export const REACTIONS = [
  method('reactions.add', reactionArguments, (call, args) => react(call, args, true)),
  method('reactions.remove', reactionArguments, (call, args) => react(call, args, false)),

  method('reactions.get', item, async (call, args) => {
    mustName(args);
    const channel = memberChannelFor(call, args.channel);
    const message = findMessage(call.workspace.db, channel.id, args.timestamp);
    if (!message) throw new SlackError('message_not_found');
    return {
      type: 'message',
      channel: channel.id,
      message: {
        ...apiMessage(message, { metadata: false }),
        permalink: permalinkOf(call.baseUrl, message),
      },
    };
  }),
];

function react(call: Call, args: z.output<typeof reactionArguments>, present: boolean): Answer {
  mustName(args);
  const channel = memberChannelFor(call, args.channel);
  if (channel.isArchived) throw new SlackError('is_archived');
  if (!isTs(args.timestamp)) throw new SlackError('bad_timestamp');
  const outcome = setReaction(call.workspace, channel, {
    ts: args.timestamp,
    user: call.app.botUserId,
    name: args.name,
    present,
  });
  if (outcome !== 'done') throw new SlackError(outcome);
  return {};
}

function mustName({ channel, timestamp }: { channel: string; timestamp: string }): void {
  if (channel === '' || timestamp === '') throw new SlackError('no_item_specified');
}

type Bookmark = Tables['bookmark'];

const fields = { link: text.optional(), emoji: text.optional() };

/** docs.slack.dev/reference/methods/bookmarks.{add, edit, list, remove} */
export const BOOKMARKS = [
  method(
    'bookmarks.add',
    { channel_id: required, title: required, type: required, ...fields },
    async (call, args) => {
      const channel = channelFor(call, args.channel_id);
      if (args.type !== 'link') throw new SlackError('invalid_bookmark_type');
      mustBeGood(call, { link: args.link ?? '', emoji: args.emoji });
      if (bookmarksOf(call, channel).length >= LIMITS.bookmarks) throw new SlackError('too_many_bookmarks');
      const { db, ids } = call.workspace;
      const bookmark = db.insert('bookmark', {
        id: ids.slackId('Bk'),
        channel_id: channel.id,
        title: args.title,
        link: args.link ?? '',
        emoji: args.emoji ?? '',
        user_id: call.app.botUserId,
        created_at: seconds(call),
        updated_at: 0,
      });
      return { bookmark: shape(call, bookmark) };
    },
  ),

  method(
    'bookmarks.edit',
    { channel_id: required, bookmark_id: required, title: text.optional(), ...fields },
    async (call, { channel_id, bookmark_id, title, link, emoji }) => {
      const { id } = bookmarkFor(call, channel_id, bookmark_id);
      mustBeGood(call, { link, emoji });
      const { db } = call.workspace;
      const set = { title, link, emoji, user_id: call.app.botUserId, updated_at: seconds(call) };
      db.update('bookmark', { id }, set);
      return { bookmark: shape(call, bookmarkFor(call, channel_id, bookmark_id)) };
    },
  ),

  method('bookmarks.list', { channel_id: required }, async (call, args) => ({
    bookmarks: bookmarksOf(call, channelFor(call, args.channel_id)).map((one) => shape(call, one)),
  })),

  method(
    'bookmarks.remove',
    { channel_id: required, bookmark_id: required },
    async (call, { channel_id, bookmark_id }) => {
      const { id } = bookmarkFor(call, channel_id, bookmark_id);
      call.workspace.db.run('delete from bookmark where id = ?', id);
      return {};
    },
  ),
];

function bookmarksOf({ workspace }: Call, channel: Channel): Bookmark[] {
  return workspace.db
    .query<Bookmark>('select * from bookmark where channel_id = ? order by created_at, rowid')
    .all(channel.id);
}

function bookmarkFor(call: Call, channelId: string, id: string): Bookmark {
  const found = bookmarksOf(call, channelFor(call, channelId)).find((one) => one.id === id);
  if (!found) throw new SlackError('not_found');
  return found;
}

function mustBeGood(
  { workspace }: Call,
  { link, emoji }: { link?: string | undefined; emoji?: string | undefined },
): void {
  if (link !== undefined && !/^https?:\/\/./.test(link)) throw new SlackError('invalid_link');
  const name = emoji?.replaceAll(/^:|:$/g, '') ?? '';
  if (name !== '' && !isEmojiName(name) && !workspace.directory.emoji.has(name))
    throw new SlackError('invalid_emoji');
}

function shape({ app, workspace }: Call, bookmark: Bookmark): Answer {
  return {
    id: bookmark.id,
    channel_id: bookmark.channel_id,
    title: bookmark.title,
    link: bookmark.link,
    emoji: bookmark.emoji,
    icon_url: null,
    type: 'link',
    entity_id: null,
    date_created: bookmark.created_at,
    date_updated: bookmark.updated_at,
    rank: bookmark.id,
    last_updated_by_user_id: bookmark.user_id,
    last_updated_by_team_id: workspace.directory.team.id,
    shortcut_id: null,
    app_id: app.id,
  };
}

function seconds({ workspace }: Call): number {
  return Math.floor(workspace.clock.now().getTime() / 1000);
}
