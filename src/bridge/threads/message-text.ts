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

export interface MessageText {
  /** The whole message in Markdown, its files as links; empty when it has neither words nor files. */
  markdown: string;
  /** The words alone, without the mention of the bot, for a title. */
  words: string;
}

/** Of the messages that are being worked, each converted once however many steps ask for its text. */
const known = new WeakMap<ChatMessage, Promise<MessageText>>();

/** A chat message's text with every person it mentions under their name (B12, B18, B19). */
export function textOf(bridge: Bridge, message: ChatMessage): Promise<MessageText> {
  const text = known.get(message) ?? convert(bridge, message);
  known.set(message, text);
  // What failed may be asked for again.
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

/** Whether a message says anything beside naming the bot; needs no look-ups. */
export function hasContent(message: ChatMessage, botUserId: string): boolean {
  return message.files.length > 0 || saysMoreThan(botUserId, message);
}

/** The chat users whom a message mentions. */
export function mentionedBy(message: ChatMessage): string[] {
  return mentionedUsers(message);
}

/** More people than that are not looked up one by one; the rest are shown by their ids. */
const NAMED_AT_MOST = 100;

/** What was typed behind a command, in Markdown, with the people whom it mentions. */
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

/** The names that mentions carry (`<@U123|ada>`), as in commands and from other workspaces. */
function userLabels(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/<@([A-Z0-9]+)\|@?([^<>|]{1,80})>/g)].map(([, id = '', label = '']) => [
      id,
      unescapeChat(label),
    ]),
  );
}

/** A file that its message does not show wholly is asked for; one that chat does not tell of keeps its name (B18). */
async function lineOf({ chat }: Bridge, file: ChatFile): Promise<string> {
  const state = decideFile({ ...file, asked: false });
  if (state !== 'ask') return fileLine(file, state);
  const found = file.id === '' ? undefined : (await chat.file(file.id))?.file;
  if (!found) return fileLine(file, file.name === '' || file.permalink === '' ? 'unseen' : 'shown');
  const known = { ...found, name: found.name || file.name };
  const now = decideFile({ ...known, asked: true });
  return fileLine(known, now === 'ask' ? 'unseen' : now);
}

/** No database takes NUL or half a character in a text; CommonMark shows both as U+FFFD. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
