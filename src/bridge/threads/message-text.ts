import type { Bridge } from '../bridge.ts';
import { ChatError, isRejected, isSlackFailing, isUnanswered } from '../slack/errors.ts';
import { callFile, type ChatFile, decideFile, type FileInfo, numbersOf } from '../slack/file.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import {
  type Person,
  peopleNamed,
  personOf,
  programName,
  ALLOWS_BOTS,
  AllowsBots,
  userName,
} from '../people/people.ts';
import { fileLine } from '../text/file-line.ts';
import { type ChatText, chatToMarkdown, saysMoreThan } from '../text/from-chat.ts';
import { mentionedUsers, referencesIn } from '../text/references.ts';
import type { Names } from '../text/rich-text.ts';
import { markdownWithoutMentions, unusedMark, wordsWithoutMentions } from '../text/address.ts';
import { markdownWords } from '../text/to-chat.ts';
import { typedToMarkdown, typedWords } from '../text/typed.ts';
import { readSetting } from '../settings.ts';
import { cut, LIMITS, shortenAtWord } from '../../contract/index.ts';
import { escapeMarkdown, parseMarkdown } from '../../platform/text/markdown.ts';
import { shortenMarkdown } from '../../platform/text/shorten-markdown.ts';
import { unescapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { type Answer, AnsweredError } from '../../client/index.ts';
import { type SenderIdentity, senderIdentity } from '../slack/post-metadata.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import type { TicketMessage } from '../tickets/ticket-messages.ts';
import { workspaceOfTicket } from '../tickets/catalogue.ts';
import { newFollowers } from './rules.ts';
import { updateTicket } from '../tickets/update-ticket.ts';
import { findByThread } from '../store/conversations.ts';
import { permalinkOf } from '../slack/ids.ts';
import { RetryLater } from '../../platform/engine/index.ts';

interface MessageText {
  /** The whole message in Markdown, with its files as links; empty if it has neither text nor files. */
  markdown: string;
  /** The same without the mention of the bot at its start, for a description (B6). */
  description: string;
  /** Its plain words without mentions of the bot, for a title; the name of a file if it has no words. */
  words: string;
}

/** Caches the text of messages in progress, so that each is converted once. */
const known = new WeakMap<ChatMessage, Promise<MessageText>>();

/** Returns a chat message's text with the names of mentioned users (B12, B18, B19). */
export function messageText(bridge: Bridge, message: ChatMessage): Promise<MessageText> {
  const text = known.get(message) ?? convert(bridge, message);
  known.set(message, text);
  // A failure may be retried.
  text.catch(() => known.delete(message));
  return text;
}

async function convert(bridge: Bridge, message: ChatMessage): Promise<MessageText> {
  const { bot } = bridge;
  const names = await namesFor(bridge, message);
  const files: string[] = [];
  const numbers = numbersOf(message.files);
  for (const [at, file] of message.files.entries())
    files.push(await describeFile(bridge, message, file, numbers[at] ?? 1));
  const name = escapeMarkdown(bot.name);
  const mark = unusedMark([message.text, message.blocks, message.attachments]);
  const marked: Names = { ...names, user: (id) => (id === bot.userId ? { name: mark } : names.user(id)) };
  const named = (text: string) => text.replaceAll(`@${mark}`, `@${name}`);
  const whole = (text: string) => storable([text, ...files].filter(Boolean).join('\n\n'));
  const text = fitting(chatToMarkdown(message, marked), (kept) => whole(named(kept)).length);
  const markdown = whole(named(text));
  return {
    markdown,
    description: markdownWithoutMentions(mark, whole(text), name),
    words:
      storable(wordsWithoutMentions(mark, markdownWords(text))) ||
      storable(message.files.find((file) => file.name !== '')?.name ?? '') ||
      markdownWords(markdown),
  };
}

/** A ticket message's limit, minus room for the name of an author without a user, or `edited:`. */
const MOST_CHARACTERS = LIMITS.messageContent - 1_000;
const REST_IS_IN_CHAT = '*The rest of this message is in Slack only.*';

/**
 * Returns the beginning of a text that is too long for a ticket, with a line that says so: mentions, links and escapes
 * take more room in Markdown than in chat, and messages of apps may be longer than any that a person writes.
 * @param lengthOf returns the length of the whole message with such a text.
 */
function fitting(text: string, lengthOf: (text: string) => number): string {
  if (lengthOf(text) <= MOST_CHARACTERS) return text;
  let kept = cut(text, 2 * MOST_CHARACTERS);
  let words = MOST_CHARACTERS;
  let length = lengthOf(kept);
  while (length > MOST_CHARACTERS && words >= 1) {
    kept = shortenMarkdown(kept, Math.floor(words), shortenAtWord);
    length = lengthOf(kept);
    // The length has the escapes, too, and words that are cut off have about as many as the others.
    words *= Math.min(0.8, MOST_CHARACTERS / length);
  }
  return `${kept}\n\n${REST_IS_IN_CHAT}`;
}

/** Returns whether a message contains anything besides the mention of the bot; without lookups. */
export function hasContent(message: ChatMessage, botUserId: string): boolean {
  return message.files.length > 0 || saysMoreThan(botUserId, message);
}

/**
 * Returns whether a message only names people, groups or channels (`@ben`, `@here`, `#general`): that is content for a
 * thread, but says nothing that a ticket could be about.
 */
export function onlyNames(message: ChatMessage): boolean {
  const { text, files, attachments } = message;
  // An app's text may be no more than the notification of its blocks.
  if (isFromBot(message) || files.length > 0 || attachments.length > 0 || text.trim() === '') return false;
  return !/[\p{L}\p{N}\p{S}]/u.test(text.replaceAll(/<[@#!][^<>]*>/g, ''));
}

/**
 * Returns the words of a message that may be only a greeting (B8): whom it greets by a mention says nothing more. Empty
 * if it has files.
 */
export async function greetingOf(bridge: Bridge, message: ChatMessage): Promise<string> {
  if (message.files.length > 0) return '';
  const { words } = await messageText(bridge, message);
  // An app's text may be no more than the notification of its blocks.
  if (isFromBot(message) || onlyNames(message)) return words;
  const unnamed = message.text.replaceAll(/<[@!#][^<>]*>/g, ' ');
  return isNaming(message, bridge.bot.userId) ? unescapeMrkdwn(unnamed) : words;
}

/** Returns whether a message names anybody but the bot: a person, a group, a channel or all. */
function isNaming({ text }: ChatMessage, botUserId: string): boolean {
  const named = text.match(/<[@!#][^<>|]*/g) ?? [];
  return named.some((token) => token !== `<@${botUserId}`);
}

/** Returns the chat users that a message mentions. */
export function mentionedBy(message: ChatMessage): string[] {
  return mentionedUsers(message);
}

/** More users than that are not looked up; the rest are shown by their ids. */
const NAMED_AT_MOST = 100;

/** Channels of one text whose names are read from Slack: each may be a call, and anybody can make up ids. */
const CHANNELS_READ = 20;

/** Returns the text after a command, in Markdown, with the names of mentioned users. */
export async function markdownOf(bridge: Bridge, team: string, escaped: string): Promise<string> {
  return storable(typedToMarkdown(escaped, await namesFor(bridge, { team, text: escaped, blocks: [] })));
}

/** Returns the text after a command as it looks, with the names of those whom it names. */
export async function wordsOfCommand(bridge: Bridge, team: string, escaped: string): Promise<string> {
  return storable(typedWords(escaped, await namesFor(bridge, { team, text: escaped, blocks: [] })));
}

async function namesFor(bridge: Bridge, message: ChatText & { team: string }): Promise<Names> {
  const users = new Map<string, { name: string; userId?: string | undefined }>();
  const referenced = referencesIn(message);
  const others = referenced.users.slice(0, NAMED_AT_MOST).filter((id) => id !== bridge.bot.userId);
  for (const [id, person] of await peopleNamed(bridge, message.team, others, userLabels(message.text)))
    users.set(id, { name: person.name, ...(person.user_id ? { userId: person.user_id } : {}) });
  users.set(bridge.bot.userId, { name: bridge.bot.name });
  const channels = new Map<string, string>();
  for (const id of referenced.channels.slice(0, CHANNELS_READ)) {
    const name = await bridge.chat.channelName(id).catch((error: unknown) => {
      // Retried with the message after a temporary error: otherwise the text would keep the id instead of the name.
      if (isRejected(error)) return undefined;
      throw error;
    });
    if (name) channels.set(id, name);
  }
  const groups = new Map<string, string>();
  for (const id of referenced.groups.slice(0, NAMED_AT_MOST)) {
    const handle = await bridge.chat.groupHandle(id);
    groups.set(id, handle ?? groupLabel(message.text, id) ?? UNNAMED_GROUP);
  }
  return {
    user: (id) => users.get(id),
    channel: (id) => channels.get(id),
    group: (id) => groups.get(id),
  };
}

/** Stands for a user group that the app may not read, as without `usergroups:read`. */
const UNNAMED_GROUP = 'user-group';

/** Returns a user group's name in a text (`<!subteam^S1|@it-team>`). */
function groupLabel(text: string, group: string): string | undefined {
  const [, label] = new RegExp(`<!subteam\\^${group}\\|@?([^<>|]{1,80})>`).exec(text) ?? [];
  return label === undefined ? undefined : unescapeMrkdwn(label);
}

/** Returns the names in mentions (`<@U123|ada>`), as in commands and from other workspaces. */
function userLabels(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/<@([A-Z0-9]+)\|@?([^<>|]{1,80})>/g)].map(([, id = '', label = '']) => [
      id,
      unescapeMrkdwn(label),
    ]),
  );
}

/** Reads incomplete files from Slack; an unavailable one is shown by its name (B18). */
async function describeFile(
  bridge: Bridge,
  message: ChatMessage,
  file: ChatFile,
  number: number,
): Promise<string> {
  // Of what has neither a name nor a type nothing is known.
  const called = (one: ChatFile) => (one.mimetype === '' ? one : { ...one, name: callFile(one, number) });
  const state = decideFile({ ...file, asked: false });
  if (state !== 'ask') return fileLine(called(file), state);
  const found = file.id === '' ? undefined : (await askForFile(bridge, message, file.id))?.file;
  if (!found) return fileLine(file, file.name === '' || file.permalink === '' ? 'unseen' : 'shown');
  const known = { ...found, name: found.name || file.name };
  const now = decideFile({ ...known, asked: true });
  return fileLine(called(known), now === 'ask' ? 'unseen' : now);
}

/** How long the bridge waits for Slack's information about a file. After that the message's own data is used. */
const ASKED_FOR_MS = 3 * 60_000;

/** Asks Slack about a file. If Slack fails at that, though it answers otherwise, no words wait for it for ever. */
async function askForFile(
  { chat, clock }: Bridge,
  { ts }: ChatMessage,
  file: string,
): Promise<FileInfo | undefined> {
  try {
    return await chat.file(file);
  } catch (error) {
    if (!(error instanceof ChatError && (isSlackFailing(error) || isUnanswered(error)))) throw error;
    const isOver = clock.now().getTime() - Number(ts) * 1000 > ASKED_FOR_MS;
    if (!isOver || !(await chat.answers())) throw error;
    return undefined;
  }
}

/** No database stores NUL or a lone surrogate in a text; CommonMark shows both as U+FFFD. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** The author of a message on a ticket. */
interface MessageAuthor {
  /** Null if the service has no user for them. */
  user_id: string | null;
  name: string;
}

/** Returns who wrote a message; an app without an account is known by its display name. */
export async function messageAuthor(
  bridge: Bridge,
  { team, user, botName }: Pick<ChatMessage, 'team' | 'user' | 'botName'>,
  stored?: Person,
): Promise<MessageAuthor> {
  return user === undefined
    ? { user_id: null, name: botName ?? 'An app' }
    : personOf(bridge, team, user, { stored });
}

/**
 * Returns the text under the author's own user, or below their name under the bridge's (B10). The name stands in front
 * of a paragraph, and on a line of its own above anything else: in front of a list, a quote, a heading, a table or code
 * it would break that block.
 */
export function signed({ user_id, name }: MessageAuthor, markdown: string): string {
  if (user_id !== null) return markdown;
  const label = `**${escapeMarkdown(name.trim() || 'An app')}:**`;
  const [first] = parseMarkdown(markdown).children;
  if (first === undefined) return label;
  // White space at the start would make a list's or a code block's first line another one's.
  return first.type === 'paragraph' ? `${label} ${markdown.trimStart()}` : `${label}\n\n${markdown}`;
}

/** Returns whether another app's message is forwarded here (B17); our own never reach this. */
export async function takesPart(
  { database }: Pick<Bridge, 'database'>,
  message: Pick<ChatMessage, 'botId' | 'user'>,
): Promise<boolean> {
  if (!isFromBot(message)) return true;
  return (await readSetting(database.db, ALLOWS_BOTS, AllowsBots)) ?? false;
}

export function isFromBot({ botId, user }: Pick<ChatMessage, 'botId' | 'user'>): boolean {
  return botId !== undefined || user === undefined;
}

/** Returns the sender identity of a ticket message in chat; undefined if the record has no author (B13, B42). */
export async function authorIdentity(
  bridge: Bridge,
  message: TicketMessage,
): Promise<SenderIdentity | undefined> {
  const agent = message.agent ?? (message.source === 'AGENT' ? await agentOf(bridge, message) : undefined);
  if (agent) return senderIdentity(agent.name, agent.imageUrl, ':robot_face:');
  const workflow = programName(message);
  if (workflow) return senderIdentity(workflow, null, ':gear:');
  const { author, authorId } = message;
  if (!author) return undefined;
  const name = userName(author);
  if (!name) return undefined;
  return senderIdentity(name, author.image ?? (await pictureOf(bridge, authorId)), ':speech_balloon:');
}

/**
 * Returns the AI agent that wrote a message at a service that does not name it there: the one with the author's id,
 * else the ticket's.
 */
async function agentOf(
  bridge: Bridge,
  { authorId, ticketId }: TicketMessage,
): Promise<Answer<'listAgents'>['items'][number] | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  const ids = [authorId, ticket?.assignedAIAgent].filter((id) => id != null);
  if (!ticket || ids.length === 0) return undefined;
  const agents = new Map<string, Answer<'listAgents'>['items'][number]>();
  const query = { set: ids.join(','), workspaceId: workspaceOfTicket(ticket) };
  for await (const agent of bridge.service.all('listAgents', { query })) agents.set(agent.id, agent);
  return ids.map((id) => agents.get(id)).find((agent) => agent !== undefined);
}

/** Returns a user's picture from Slack if the service has none. */
async function pictureOf({ database, bot, pictures }: Bridge, userId: string | null): Promise<string | null> {
  if (userId === null) return null;
  return pictures.get(userId, async () => {
    const row = await database.db
      .selectFrom('person')
      .select('image')
      .where('team_id', '=', bot.team)
      .where('user_id', '=', userId)
      .where('image', 'is not', null)
      .orderBy('read_at', 'desc')
      .executeTakeFirst();
    return row?.image ?? null;
  });
}

/** More mentions than this are a group, not individuals. */
const MENTIONED_AT_MOST = 20;

/** As often, another writer may come first. */
const FOLLOW_TRIES = 10;

/** Makes users who are mentioned in a ticket's thread its followers (B23); idempotent. */
export async function followMentioned(
  bridge: Bridge,
  team: string,
  ticketId: string,
  chatUserIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(chatUserIds)].filter((id) => id !== bridge.bot.userId);
  if (ids.length === 0 || ids.length > MENTIONED_AT_MOST) return;
  const people = [...(await peopleNamed(bridge, team, ids)).values()];
  for (let tries = 0; tries < FOLLOW_TRIES; tries++) if (await addFollowers(bridge, ticketId, people)) return;
  throw new RetryLater('the followers of a ticket change all the time');
}

/**
 * Adds those who are missing. All followers are written at once, so a service that compares what it is told to expect
 * (docs/api.md, Expected values) refuses the list if another writer came in between.
 * @returns false if it did, and nobody was added.
 */
async function addFollowers(
  bridge: Bridge,
  ticketId: string,
  people: Parameters<typeof newFollowers>[0],
): Promise<boolean> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return true;
  const queue = ticket.queueId ? await bridge.channels.queue(ticket.queueId) : undefined;
  // Who follows a ticket may read it, so a mention adds nobody where not everyone may (B0).
  const isForAll = await bridge.channels.isForEveryone(ticket);
  const added = newFollowers(people, { ...ticket, private: !isForAll }, queue?.settings?.silentMode ?? false);
  if (added.length === 0) return true;
  const known = ticket.followers.map(({ id }) => ({ id }));
  const followers = [...known, ...added.map((id) => ({ id }))];
  try {
    await updateTicket(bridge, null, ticketId, { followers }, { expected: { followers: known } });
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    if (error.conflict?.field === 'followers') return false;
    // A follower that the service rejects must not block the message.
    bridge.log.warn({ event: 'followers.refused', err: error }, 'the service rejected new followers');
  }
  return true;
}

type ThreadLookup = Pick<Bridge, 'database' | 'bot' | 'log'>;

/**
 * Returns the URL of a ticket's thread in Slack. A ticket's record names its channel and timestamp, not its workspace:
 * of several, it is the one whose tables contain the thread. Undefined if none does.
 */
export async function threadUrl(
  bridges: readonly ThreadLookup[],
  channel: string,
  ts: string,
): Promise<string | undefined> {
  const found = await Promise.all(
    bridges.map(async (bridge) => (await hasThread(bridge, channel, ts)) && bridge.bot.url),
  );
  const url = found.find(Boolean);
  return url ? permalinkOf(url, { channel, ts }) : undefined;
}

/** The link is optional, so an unavailable database is ignored. */
async function hasThread(
  { database, bot, log }: ThreadLookup,
  channel: string,
  root: string,
): Promise<boolean> {
  try {
    return (await findByThread(database.db, { team: bot.team, channel, root })) !== undefined;
  } catch (error) {
    log.warn({ err: error, event: 'thread.not_looked_up' }, 'a thread could not be looked up');
    return false;
  }
}
