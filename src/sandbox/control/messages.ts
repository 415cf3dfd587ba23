import { z } from 'zod';

import { checkBlocks } from '../blocks/check.ts';
import { inviteMentioned } from '../workspace/channels.ts';
import { SLACKBOT } from '../workspace/directory.ts';
import { tellDraft } from '../workspace/links.ts';
import { deleteMessage, editMessage, postMessage } from '../workspace/messages.ts';
import { otherBot } from '../workspace/people.ts';
import { setPin, setReaction } from '../workspace/reactions.ts';
import { blocksOf, writtenByPerson } from '../workspace/write.ts';
import {
  type Context,
  ControlError,
  mustBeDone,
  name,
  operation,
  operationNow,
  place,
  placeOf,
  nonEmptyText,
  ts,
} from './operation.ts';
import { shownMessage } from './shown.ts';

const emoji = z
  .string()
  .regex(/^:?[a-z0-9_+'-]+(::skin-tone-[2-6])?:?$/, 'the short name of an emoji, e.g. ticket')
  .transform((text) => text.replace(/^:(?=.)|(?<=.):$/g, ''));

/** A person's text in a message. */
const writtenBy = ({ workspace, find }: Context, user: string, text: string) =>
  writtenByPerson(workspace.directory, workspace.ids, find.person(user), text);

/**
 * What people (and other apps) do with messages. Each refuses with a `ControlError` what Slack's page would not offer.
 */
export const MESSAGE_OPERATIONS = {
  /** `invite` also invites mentioned people who are not in the channel. */
  message: operation(
    z.object({
      ...place,
      text: nonEmptyText,
      thread_ts: ts.optional(),
      broadcast: z.boolean().default(false),
      invite: z.boolean().default(false),
    }),
    (context, { text, thread_ts: threadTs, broadcast, invite, ...where }) => {
      const { workspace } = context;
      const { channel, person } = placeOf(context, where);
      const written = writtenBy(context, person.id, text);
      const message = postMessage(workspace, channel, { ...written, author: person.id, threadTs, broadcast });
      if (invite) inviteMentioned(workspace, channel, message);
      return { message: shownMessage(message) };
    },
  ),

  /** Writes without sending. `unfurlId`: how the app may name the links of its own that are in it. */
  draft: operation(z.object({ user: name, text: nonEmptyText }), (context, { user, text }) => {
    const { id } = context.find.person(user);
    return { unfurlId: tellDraft(context.workspace, id, writtenBy(context, user, text).content.text) };
  }),

  meMessage: operation(z.object({ ...place, text: nonEmptyText }), (context, { text, ...where }) => {
    const { channel, person } = placeOf(context, where);
    const { blocks: _blocks, ...plain } = writtenBy(context, person.id, text).content;
    const content = { ...plain, subtype: 'me_message' };
    const post = { author: person.id, autoBlocks: true, content };
    return { message: shownMessage(postMessage(context.workspace, channel, post)) };
  }),

  editMessage: operation(
    z.object({ ...place, ts, text: nonEmptyText }),
    (context, { channel: where, user, ts, text }) => {
      const { find, workspace } = context;
      const channel = find.channel(where, user);
      const person = find.person(user);
      find.ownMessage(channel, person, ts);
      const { content } = writtenBy(context, user, text);
      const message = editMessage(workspace, channel, ts, (before) => ({
        text: content.text,
        blocks: content.blocks,
        attachments: before.content.attachments,
        metadata: before.content.metadata,
        autoBlocks: true,
        editor: person.id,
      }));
      if (!message) throw new ControlError('message_not_found');
      return { message: shownMessage(message) };
    },
  ),

  deleteMessage: operation(
    z.object({ ...place, ts }),
    ({ find, workspace }, { channel: where, user, ts }) => {
      const channel = find.channel(where, user);
      find.ownMessage(channel, find.person(user), ts);
      deleteMessage(workspace, channel, ts);
    },
  ),

  reaction: operation(
    z.object({ ...place, ts, name: emoji, present: z.boolean().default(true) }),
    ({ find, workspace }, { channel, user, ...reaction }) =>
      mustBeDone(
        setReaction(workspace, find.channel(channel, user), { ...reaction, user: find.person(user).id }),
      ),
  ),

  pin: operation(
    z.object({ ...place, ts, present: z.boolean().default(true) }),
    (context, { ts, present, ...where }) => {
      const { channel, person } = placeOf(context, where);
      mustBeDone(setPin(context.workspace, channel, { ts, user: person.id, present }));
    },
  ),

  huddle: operation(z.object(place), (context, where) => {
    const { workspace } = context;
    const { channel, person } = placeOf(context, where);
    const message = postMessage(workspace, channel, {
      author: SLACKBOT,
      autoBlocks: true,
      content: {
        type: 'message',
        subtype: 'huddle_thread',
        user: SLACKBOT,
        team: workspace.directory.team.id,
        text: 'A huddle started',
        room: {
          id: workspace.ids.slackId('R'),
          name: '',
          created_by: person.id,
          date_start: Math.floor(workspace.clock.now().getTime() / 1000),
          date_end: 0,
          participants: [person.id],
          participant_history: [person.id],
          channels: [channel.id],
          is_dm_call: channel.kind === 'im',
          has_ended: false,
          call_family: 'huddle',
        },
      },
    });
    return { message: shownMessage(message) };
  }),

  /** A post of another app, which is not connected here. With a `username` it is a `bot_message` without `user`. */
  botMessage: operation(
    z.object({
      channel: name,
      bot: name.default('Other bot'),
      text: nonEmptyText,
      blocks: z.array(z.unknown()).optional(),
      username: name.optional(),
      thread_ts: ts.optional(),
    }),
    ({ find, workspace }, { channel: where, bot: botName, text, blocks, username, thread_ts: threadTs }) => {
      const { directory, ids } = workspace;
      const channel = find.channel(where, undefined);
      if (channel.isArchived) throw new ControlError(`the channel "${channel.name}" is archived`);
      const checked = blocks === undefined ? undefined : checkBlocks(blocks);
      if (checked && !checked.ok) throw new ControlError(`${checked.error}: ${checked.messages.join('; ')}`);
      if (directory.personByName(botName)?.isBot === false)
        throw new ControlError(`"${botName}" is a person, not a bot`);
      const { user_id: user, id: bot_id, app_id } = otherBot(workspace, botName);
      const { autoBlocks, part } = blocksOf(directory, ids, { text, blocks: checked?.blocks });
      const author =
        username === undefined ? { user, team: directory.team.id } : { subtype: 'bot_message', username };
      const content = { type: 'message' as const, ...author, bot_id, app_id, text, ...part };
      return {
        message: shownMessage(
          postMessage(workspace, channel, { author: user, autoBlocks, threadTs, content }),
        ),
      };
    },
  ),

  /** What Slack does to messages by itself; what is left out stays. */
  noise: operationNow(
    z.strictObject({
      unfurls: z.boolean().optional(),
      languageDetection: z.boolean().optional(),
      unfurlDomains: z.array(z.string().min(1).toLowerCase()).optional(),
    }),
    ({ workspace: { noise } }, wanted) =>
      Object.assign(
        noise,
        Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      ),
  ),
};
