import type { z } from 'zod';

import { checkBlocks } from '../blocks/check.ts';
import { inviteMentioned } from '../workspace/channels.ts';
import { tellDraft } from '../workspace/links.ts';
import { SLACKBOT } from '../workspace/directory.ts';
import { deleteMessage, editMessage, postMessage } from '../workspace/messages.ts';
import type { Noise, Workspace } from '../workspace/workspace.ts';
import { otherBot } from '../workspace/people.ts';
import { setPin, setReaction } from '../workspace/reactions.ts';
import { blocksOf, writtenByPerson } from '../workspace/write.ts';
import { ControlError, type Finders } from './find.ts';
import { MESSAGE_REQUESTS as REQUESTS } from './message-requests.ts';
import { shown, type ShownMessage } from './shown.ts';

type Request<Name extends keyof typeof REQUESTS> = z.input<(typeof REQUESTS)[Name]>;

/** What people (and other apps) do with messages. Each refuses with a `ControlError` what Slack's page would not offer. */
export interface MessageControl {
  message(request: Request<'message'>): Promise<{ message: ShownMessage }>;
  /** `unfurlId`: how the app may name the links of its own that are in it. */
  draft(request: Request<'draft'>): Promise<{ unfurlId: string | undefined }>;
  meMessage(request: Request<'meMessage'>): Promise<{ message: ShownMessage }>;
  editMessage(request: Request<'editMessage'>): Promise<{ message: ShownMessage }>;
  deleteMessage(request: Request<'deleteMessage'>): Promise<void>;
  reaction(request: Request<'reaction'>): Promise<void>;
  pin(request: Request<'pin'>): Promise<void>;
  huddle(request: Request<'huddle'>): Promise<{ message: ShownMessage }>;
  botMessage(request: Request<'botMessage'>): Promise<{ message: ShownMessage }>;
  noise(request: Request<'noise'>): Noise;
}

export function createMessageControl(workspace: Workspace, find: Finders): MessageControl {
  const { directory, ids } = workspace;
  return {
    async message(request) {
      const { channel: place, user, text, thread_ts, broadcast, invite } = REQUESTS.message.parse(request);
      const person = find.person(user);
      const channel = find.channel(place, user);
      find.mustBeIn(channel, person);
      const message = postMessage(workspace, channel, {
        ...writtenByPerson(directory, ids, person, text),
        author: person.id,
        threadTs: thread_ts,
        broadcast: broadcast ?? false,
      });
      if (invite === true) inviteMentioned(workspace, channel, message);
      return { message: shown(message) };
    },

    async draft(request) {
      const { user, text } = REQUESTS.draft.parse(request);
      const person = find.person(user);
      const { content } = writtenByPerson(directory, ids, person, text);
      return { unfurlId: tellDraft(workspace, person.id, content.text) };
    },

    async meMessage(request) {
      const { channel: place, user, text } = REQUESTS.meMessage.parse(request);
      const person = find.person(user);
      const channel = find.channel(place, user);
      find.mustBeIn(channel, person);
      const { content } = writtenByPerson(directory, ids, person, text);
      const { blocks: _blocks, ...plain } = content;
      const message = postMessage(workspace, channel, {
        author: person.id,
        autoBlocks: true,
        content: { ...plain, subtype: 'me_message' },
      });
      return { message: shown(message) };
    },

    async editMessage(request) {
      const { channel: place, user, ts, text } = REQUESTS.editMessage.parse(request);
      const channel = find.channel(place, user);
      const person = find.person(user);
      find.ownMessage(channel, person, ts);
      const { content } = writtenByPerson(directory, ids, person, text);
      const message = editMessage(workspace, channel, ts, (before) => ({
        text: content.text,
        blocks: content.blocks,
        attachments: before.content.attachments,
        metadata: before.content.metadata,
        autoBlocks: true,
        editor: person.id,
      }));
      if (!message) throw new ControlError('message_not_found');
      return { message: shown(message) };
    },

    async deleteMessage(request) {
      const { channel: place, user, ts } = REQUESTS.deleteMessage.parse(request);
      const channel = find.channel(place, user);
      find.ownMessage(channel, find.person(user), ts);
      deleteMessage(workspace, channel, ts);
    },

    async reaction(request) {
      const { channel, user, ts, name, present } = REQUESTS.reaction.parse(request);
      const outcome = setReaction(workspace, find.channel(channel, user), {
        ts,
        user: find.person(user).id,
        name,
        present,
      });
      if (outcome !== 'done') throw new ControlError(outcome);
    },

    async pin(request) {
      const { channel: place, user, ts, present } = REQUESTS.pin.parse(request);
      const person = find.person(user);
      const channel = find.channel(place, user);
      find.mustBeIn(channel, person);
      const outcome = setPin(workspace, channel, { ts, user: person.id, present });
      if (outcome !== 'done') throw new ControlError(outcome);
    },

    async huddle(request) {
      const { channel: place, user } = REQUESTS.huddle.parse(request);
      const person = find.person(user);
      const channel = find.channel(place, user);
      find.mustBeIn(channel, person);
      const started = Math.floor(workspace.clock.now().getTime() / 1000);
      const message = postMessage(workspace, channel, {
        author: SLACKBOT,
        autoBlocks: true,
        content: {
          type: 'message',
          subtype: 'huddle_thread',
          user: SLACKBOT,
          team: directory.team.id,
          text: 'A huddle started',
          room: {
            id: ids.slackId('R'),
            name: '',
            created_by: person.id,
            date_start: started,
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
      return { message: shown(message) };
    },

    async botMessage(request) {
      const {
        channel: place,
        bot: name,
        text,
        blocks,
        username,
        thread_ts,
      } = REQUESTS.botMessage.parse(request);
      const channel = find.channel(place, undefined);
      if (channel.isArchived) throw new ControlError(`the channel "${channel.name}" is archived`);
      const checked = blocks === undefined ? undefined : checkBlocks(blocks);
      if (checked && !checked.ok) throw new ControlError(`${checked.error}: ${checked.messages.join('; ')}`);
      if (directory.personByName(name)?.isBot === false)
        throw new ControlError(`"${name}" is a person, not a bot`);
      const bot = otherBot(workspace, name);
      const { autoBlocks, part } = blocksOf(directory, ids, { text, blocks: checked?.blocks });
      const message = postMessage(workspace, channel, {
        author: bot.user_id,
        autoBlocks,
        threadTs: thread_ts,
        content: {
          type: 'message',
          ...(username === undefined
            ? { user: bot.user_id, team: directory.team.id }
            : { subtype: 'bot_message', username }),
          bot_id: bot.id,
          app_id: bot.app_id,
          text,
          ...part,
        },
      });
      return { message: shown(message) };
    },

    noise(request) {
      const { unfurls, languageDetection, unfurlDomains } = REQUESTS.noise.parse(request);
      const { noise } = workspace;
      if (unfurls !== undefined) noise.unfurls = unfurls;
      if (languageDetection !== undefined) noise.languageDetection = languageDetection;
      if (unfurlDomains !== undefined) noise.unfurlDomains = unfurlDomains;
      return noise;
    },
  };
}
