import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import type { ChatFile } from '../slack/file.ts';
import { decideFile } from '../slack/file-rules.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import { peopleNamed } from '../people/people.ts';
import {
  type ChatText,
  chatToMarkdown,
  mentionedUsers,
  namedIn,
  type Names,
  saysMoreThan,
} from '../text/from-chat.ts';
import { fileLine } from '../text/file-line.ts';
import { unescapeChat } from '../text/mrkdwn.ts';
import { markdownWords } from '../text/to-chat.ts';

interface MessageText {
  /** The whole message in Markdown, with its files as links; empty if it has neither text nor files. */
  markdown: string;
  /** The text without the mention of the bot, for a title. */
  words: string;
}

/** Caches the text of messages in progress, so that each is converted once. */
const known = new WeakMap<ChatMessage, Promise<MessageText>>();

/** Returns a chat message's text with the names of mentioned users (B12, B18, B19). */
export function textOf(bridge: Bridge, message: ChatMessage): Promise<MessageText> {
  const text = known.get(message) ?? convert(bridge, message);
  known.set(message, text);
  // A failure may be retried.
  text.catch(() => known.delete(message));
  return text;
}

async function convert(bridge: Bridge, message: ChatMessage): Promise<MessageText> {
  const names = await namesFor(bridge, message);
  const text = chatToMarkdown(message, names);
  const files: string[] = [];
  for (const file of message.files) files.push(await lineOf(bridge, file));
  const markdown = storable([text, ...files].filter(Boolean).join('\n\n'));
  const bot = names.user(bridge.bot.userId)?.name;
  const words = storable(markdownWords(text));
  return { markdown, words: (bot ? words.replaceAll(`@${bot}`, '') : words).replaceAll(/\s+/g, ' ').trim() };
}

/** Returns whether a message contains anything besides the mention of the bot; without lookups. */
export function hasContent(message: ChatMessage, botUserId: string): boolean {
  return message.files.length > 0 || saysMoreThan(botUserId, message);
}

/** Returns the chat users that a message mentions. */
export function mentionedBy(message: ChatMessage): string[] {
  return mentionedUsers(message);
}

/** More users than that are not looked up; the rest are shown by their ids. */
const NAMED_AT_MOST = 100;

/** Returns the text after a command, in Markdown, with the names of mentioned users. */
export async function markdownOf(bridge: Bridge, team: string, escaped: string): Promise<string> {
  const typed = { team, text: escaped, blocks: [] };
  return storable(chatToMarkdown(typed, await namesFor(bridge, typed)));
}

async function namesFor(bridge: Bridge, message: ChatText & { team: string }): Promise<Names> {
  const users = new Map<string, { name: string; userId?: string | undefined }>();
  const named = namedIn(message);
  const others = named.users.slice(0, NAMED_AT_MOST).filter((id) => id !== bridge.bot.userId);
  for (const [id, person] of await peopleNamed(bridge, message.team, others, userLabels(message.text)))
    users.set(id, { name: person.name, ...(person.user_id ? { userId: person.user_id } : {}) });
  users.set(bridge.bot.userId, { name: bridge.bot.name });
  const channels = new Map<string, string>();
  for (const id of named.channels.slice(0, NAMED_AT_MOST)) {
    const name = await bridge.chat.channelName(id).catch((error: unknown) => {
      // What may pass is tried again with the message: its text would have the id in place of the name for ever.
      if (error instanceof ChatError && (error.next === 'give-up' || error.code === 'missing_scope'))
        return undefined;
      throw error;
    });
    if (name) channels.set(id, name);
  }
  return { user: (id) => users.get(id), channel: (id) => channels.get(id) };
}

/** Returns the names in mentions (`<@U123|ada>`), as in commands and from other workspaces. */
function userLabels(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/<@([A-Z0-9]+)\|@?([^<>|]{1,80})>/g)].map(([, id = '', label = '']) => [
      id,
      unescapeChat(label),
    ]),
  );
}

/** Reads incomplete files from Slack; an unavailable one is shown by its name (B18). */
async function lineOf({ chat }: Bridge, file: ChatFile): Promise<string> {
  const state = decideFile({ ...file, asked: false });
  if (state !== 'ask') return fileLine(file, state);
  const found = file.id === '' ? undefined : (await chat.file(file.id))?.file;
  if (!found) return fileLine(file, file.name === '' || file.permalink === '' ? 'unseen' : 'shown');
  const known = { ...found, name: found.name || file.name };
  const now = decideFile({ ...known, asked: true });
  return fileLine(known, now === 'ask' ? 'unseen' : now);
}

/** No database stores NUL or a lone surrogate in a text; CommonMark shows both as U+FFFD. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
