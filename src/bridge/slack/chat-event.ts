// Everything that talks to Slack: Socket Mode and HTTP receivers, the Web API's reader and writer, errors, limits,
// ids. This file and interaction.ts are the one parser that turns Slack's payloads into our events.

import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';

import { cut, LIMITS } from '../../contract/index.ts';
import { fileOf, RawFile } from './file.ts';
import { RawUser } from './profile.ts';
import { EVENT_KINDS, isUserText, treatmentOf } from './message-kinds.ts';
import { type ChatPlace, eventKey, isDirectOfTwo, isOfSlack } from './ids.ts';
import { chatToMarkdown } from '../text/from-chat.ts';
import { type Interaction, parseInteraction, withTrigger } from './interaction.ts';

/** A message as a user or an app wrote it. */
export type ChatMessage = ReturnType<typeof messageOf>;

/** Slack's events in our own terms. Unknown ones are `other`. */
export type ChatEvent =
  | { kind: 'message'; key: string; message: ChatMessage }
  | { kind: 'message-edited'; key: string; message: ChatMessage; editTs: string | undefined }
  | { kind: 'message-deleted'; key: string; place: ChatPlace; root: string }
  | {
      kind: 'reaction';
      key: string;
      place: ChatPlace;
      user: string;
      name: string;
      added: boolean;
      eventTs: string;
    }
  /** A user's profile changed; Slack sends this for every status change, too. The profile is not stored. */
  | { kind: 'person'; key: string; team: string; user: string; profile?: RawUser }
  /** A message or its draft contains links of our domain. */
  | { kind: 'link'; key: string; team: string; link: z.output<typeof LinkEvent> }
  | { kind: 'home'; key: string; team: string; user: string }
  | { kind: 'command'; key: string; command: ChatCommand }
  | Interaction<ChatMessage>
  /** A person pressed something that this version cannot read. */
  | { kind: 'unreadable'; key: string }
  | { kind: 'other'; key: string; team: string; type: string };

export type EventOf<Kind extends ChatEvent['kind']> = Extract<ChatEvent, { kind: Kind }>;

/** Returns whose words or acts an event reports; none where it does not say. */
export function peopleOf(event: ChatEvent): (string | undefined)[] {
  switch (event.kind) {
    case 'message':
    case 'message-edited':
      return [event.message.user];
    case 'reaction':
    case 'person':
    case 'home':
      return [event.user];
    case 'command':
      return [event.command.user];
    case 'action':
      return [event.action.user];
    case 'shortcut':
      return [event.shortcut.user, event.shortcut.message.user];
    case 'global-shortcut':
      return [event.shortcut.user];
    case 'submission':
      return [event.submission.user];
    case 'message-deleted':
    case 'link':
    case 'unreadable':
    case 'other':
      return [];
  }
}

const text = z.string().catch('');
const optional = z.string().optional().catch(undefined);

/**
 * Blocks or attachments, without texts beyond what a ticket takes: those would only cost time (docs/reliability.md,
 * Texts between Slack and a ticket). A message has at most fifty blocks
 * (https://docs.slack.dev/reference/block-kit/blocks) and a hundred attachments
 * (https://docs.slack.dev/messaging/formatting-message-text#attachments).
 */
const parts = z
  .array(z.unknown())
  .catch([])
  .transform((values) => {
    const budget = { characters: LIMITS.messageContent };
    return values.slice(0, PARTS).map((value) => cutTexts(value, budget));
  });

const PARTS = 100;
/** Deeper than any block that is read. */
const DEEPEST = 60;

const Bounded = z.object({
  text: text.transform((value) => cut(value, LIMITS.messageContent)),
  blocks: parts,
  attachments: parts,
  // Slack adds previews and the text of e-mails.
  files: z
    .array(z.unknown())
    .catch([])
    .transform((files) => files.map(onlyReadOfFile)),
});
const TEXTS = ['text', 'blocks', 'attachments', 'files'] as const;

function onlyReadOfFile(file: unknown): unknown {
  if (typeof file !== 'object' || file === null) return file;
  return Object.fromEntries(Object.entries(file).filter(([name]) => name in RawFile.shape));
}

/** Returns an envelope whose messages have no more of their texts than is read. */
export function boundTexts(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('event' in body)) return body;
  const event = boundMessage(body.event);
  for (const part of ['message', 'previous_message'])
    if (part in event) event[part] = boundMessage(event[part]);
  return { ...body, event };
}

function boundMessage(message: unknown): Record<string, unknown> {
  const { data: bounded } = Bounded.safeParse(message);
  if (!bounded) return {};
  const given = message as Record<string, unknown>;
  const texts: Record<string, unknown> = {};
  for (const name of TEXTS) if (name in given) texts[name] = bounded[name];
  return { ...given, ...texts };
}

/** Returns a value whose texts end where they have together more characters than are left. */
function cutTexts(value: unknown, left: { characters: number }, depth = 0): unknown {
  if (typeof value === 'string') {
    const kept = cut(value, left.characters);
    left.characters -= kept.length;
    return kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return null;
  const inner = (one: unknown) => cutTexts(one, left, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inner(one)]));
}

const RawMessage = z.object({
  ts: z.string(),
  thread_ts: optional,
  user: optional,
  bot_id: optional,
  username: optional,
  bot_profile: z.object({ name: optional }).optional().catch(undefined),
  app_id: optional,
  subtype: optional,
  channel_type: optional,
  text: text.transform((value) => cut(value, LIMITS.messageContent)),
  blocks: parts,
  attachments: parts,
  files: z.array(RawFile).catch([]),
  edited: z.object({ ts: z.string() }).optional().catch(undefined),
});
type RawMessage = z.infer<typeof RawMessage>;

const MessageEvent = RawMessage.extend({ channel: z.string() });
const EditedEvent = z.object({
  channel: z.string(),
  event_ts: optional,
  message: RawMessage,
  previous_message: RawMessage.optional().catch(undefined),
});
const DeletedEvent = z.object({
  channel: z.string(),
  deleted_ts: z.string(),
  previous_message: RawMessage.optional().catch(undefined),
});
const ReactionEvent = z.object({
  type: z.string(),
  user: z.string(),
  reaction: z.string(),
  event_ts: z.string(),
  item: z.object({ type: z.literal('message'), channel: z.string(), ts: z.string() }),
});
const LinkEvent = z
  .object({
    // Slack's documentation names another value for drafts, and says that it is always this.
    channel: z.string().default('COMPOSER'),
    message_ts: z.string(),
    thread_ts: optional,
    unfurl_id: optional,
    source: z.enum(['composer', 'conversations_history']).optional().catch(undefined),
    links: z.array(z.object({ url: z.string() })),
  })
  .transform(({ channel, message_ts: ts, thread_ts: thread, unfurl_id: unfurlId, source, links }) => ({
    channel,
    ts,
    thread,
    unfurlId,
    source,
    urls: links.map(({ url }) => url),
  }));
const PersonEvent = z.object({ user: RawUser });
const HomeEvent = z.object({ user: z.string(), tab: z.string() });
const EventCallback = z.object({
  type: z.literal('event_callback'),
  team_id: z.string(),
  event_id: z.string(),
  event: z.looseObject({ type: z.string(), subtype: z.string().optional() }),
});
const Command = z
  .object({
    team_id: z.string(),
    channel_id: z.string(),
    user_id: z.string(),
    command: z.string(),
    text,
    trigger_id: z.string(),
    response_url: text,
  })
  .transform((data) => ({
    team: data.team_id,
    channel: data.channel_id,
    user: data.user_id,
    command: data.command,
    triggerId: data.trigger_id,
    /** As Slack sends it: `&`, `<`, `>` escaped, mentions and links in angle brackets. */
    escaped: data.text,
    responseUrl: data.response_url,
  }));
export type ChatCommand = z.output<typeof Command>;

/**
 * Parses the body of an envelope. Never throws: undefined if it cannot even be identified, `other` if we do not handle
 * it.
 */
export function parseChatEvent(body: unknown): ChatEvent | undefined {
  const { data: callback } = EventCallback.safeParse(body);
  if (callback) return parseCallback(callback);
  const { data: command } = Command.safeParse(withTrigger(body));
  if (command) return { kind: 'command', key: eventKey.trigger(command.triggerId), command };
  return parseInteraction(body, parseListedMessage);
}

function parseCallback({ team_id: team, event_id, event }: z.infer<typeof EventCallback>): ChatEvent {
  const other: ChatEvent = { kind: 'other', key: eventKey.other(event_id), team, type: event.type };
  switch (EVENT_KINDS.get(event.type)) {
    case 'message':
      return parseMessage(team, event) ?? other;
    case 'reaction': {
      const { data } = ReactionEvent.safeParse(event);
      if (!data || isOfSlack(data.user)) return other;
      const { item, user, reaction: name, event_ts: eventTs } = data;
      const place = { team, channel: item.channel, ts: item.ts };
      const added = event.type === 'reaction_added';
      const key = eventKey.reaction(place, user, name, added, eventTs);
      return { kind: 'reaction', key, place, user, name, added, eventTs };
    }
    case 'person': {
      const { data } = PersonEvent.safeParse(event);
      return data ? { ...other, kind: 'person', user: data.user.id, profile: data.user } : other;
    }
    case 'link': {
      const { data: link } = LinkEvent.safeParse(event);
      return link ? { ...other, kind: 'link', link } : other;
    }
    case 'home': {
      const { data } = HomeEvent.safeParse(event);
      return data?.tab === 'home' ? { ...other, kind: 'home', user: data.user } : other;
    }
    case undefined:
      return other;
  }
}

/** Undefined unless it is new, or edited or deleted by a user. */
function parseMessage(team: string, event: { subtype?: string | undefined }): ChatEvent | undefined {
  const treatment = treatmentOf(event.subtype);
  if (treatment === 'edit') {
    const { data } = EditedEvent.safeParse(event);
    if (!data) return undefined;
    const { channel, message: raw, previous_message: previous, event_ts: changedTs } = data;
    const place = { team, channel, ts: raw.ts };
    // A deleted message that has replies becomes a tombstone.
    if (raw.subtype === 'tombstone')
      return { kind: 'message-deleted', key: eventKey.deletion(place), place, root: raw.thread_ts ?? raw.ts };
    // Slack's own replacements (withdrawn keys, a named assistant thread) are not edits by a user.
    if (!isUserText(raw.subtype)) return undefined;
    // Unfurls, thread counters and language detection also come as a change; a user's edit changes `edited`, or the
    // text within the same second.
    // A deleted file changes neither: only its message's list of files says so.
    const isEdited = raw.edited && !(raw.edited.ts === previous?.edited?.ts && sameWords(raw, previous));
    const isRewritten = !isEdited && isRewrittenByApp(raw, previous);
    if (!isEdited && !isRewritten && !hasLostFile(raw, previous)) return undefined;
    const editTs = (isRewritten ? changedTs : undefined) ?? raw.edited?.ts;
    const attachments = isRewritten ? [raw.attachments] : [];
    return {
      kind: 'message-edited',
      key: eventKey.edit(place, editTs, [raw.text, raw.blocks, raw.files.map(lastingFacts), ...attachments]),
      message: messageOf(team, channel, raw),
      editTs,
    };
  }
  if (treatment === 'deletion') {
    const { data } = DeletedEvent.safeParse(event);
    if (!data) return undefined;
    const { channel, deleted_ts: ts, previous_message: previous } = data;
    const place = { team, channel, ts };
    return { kind: 'message-deleted', key: eventKey.deletion(place), place, root: previous?.thread_ts ?? ts };
  }
  // A thread's counters, with or without their subtype: a message that contains another.
  if (event.subtype === 'message_replied' || (event.subtype === undefined && 'message' in event))
    return undefined;
  const { data } = MessageEvent.safeParse(event);
  if (!data) return undefined;
  const message = messageOf(team, data.channel, data);
  return { kind: 'message', key: eventKey.message(message), message };
}

/** The facts of a file that events and lists share. */
function lastingFacts({ name, mimetype, size, permalink }: z.infer<typeof RawFile>): unknown {
  return { name, mimetype, size, permalink };
}

/** Returns whether a file that a message had is deleted now. */
function hasLostFile({ files }: RawMessage, previous: RawMessage | undefined): boolean {
  const wereThere = new Set(
    previous?.files.filter(({ mode }) => mode !== 'tombstone').map(({ id }) => id) ?? [],
  );
  return files.some(({ id, mode }) => mode === 'tombstone' && wereThere.has(id));
}

function sameWords(a: RawMessage, b: RawMessage): boolean {
  return JSON.stringify([a.text, a.blocks]) === JSON.stringify([b.text, b.blocks]);
}

/**
 * Returns whether an app changed the words of its message by blocks or attachments: Slack then sets no `edited`.
 * Previews of links are no words of the message, and what else Slack adds (sizes of pictures, block ids) is none
 * either.
 */
function isRewrittenByApp(raw: RawMessage, previous: RawMessage | undefined): boolean {
  if (raw.bot_id === undefined || previous === undefined) return false;
  if (sameWords(raw, previous) && isDeepStrictEqual(raw.attachments, previous.attachments)) return false;
  const wordsOf = ({ text, blocks, attachments, bot_id: botId }: RawMessage) =>
    chatToMarkdown(
      { text, blocks, attachments, botId },
      { user: (id) => ({ name: id }), channel: (id) => id },
    );
  return wordsOf(raw) !== wordsOf(previous);
}

/** Parses a message as `conversations.replies` lists it; undefined if it is not one. */
export function parseListedMessage(team: string, channel: string, raw: unknown): ChatMessage | undefined {
  const { data } = RawMessage.safeParse(raw);
  return data && messageOf(team, channel, data);
}

const ListedReactions = z.object({
  reactions: z.array(
    z.object({
      name: z.string(),
      /** Truncated if they are many. */
      users: z.array(z.string()).catch([]),
      // The count is missing, so there may be more than are listed.
      count: z.number().catch(Number.POSITIVE_INFINITY),
    }),
  ),
});

/** An emoji on a listed message. */
export type ListedReaction = z.infer<typeof ListedReactions>['reactions'][number];

/**
 * Returns who has which emoji on a listed message, as far as Slack lists them
 * (https://docs.slack.dev/reference/methods/reactions.get).
 */
export function parseListedReactions(raw: unknown): ListedReaction[] {
  return ListedReactions.safeParse(raw).data?.reactions ?? [];
}

function messageOf(team: string, channel: string, raw: RawMessage) {
  return {
    team,
    channel,
    ts: raw.ts,
    /** Its thread; its own ts if it is not a reply. */
    root: raw.thread_ts ?? raw.ts,
    /** It is in a direct message or group direct message. */
    direct: raw.channel_type === 'im' || raw.channel_type === 'mpim' || isDirectOfTwo(channel),
    /** Absent for apps that post without a user. */
    user: raw.user,
    botId: raw.bot_id ?? (isOfSlack(raw.user ?? '') ? raw.user : undefined),
    /** The name that another app shows with it. */
    botName: raw.username || raw.bot_profile?.name || undefined,
    appId: raw.app_id,
    subtype: raw.subtype,
    text: raw.text,
    blocks: raw.blocks,
    /** Forwarded messages, link previews, and legacy attachments of apps. */
    attachments: raw.attachments,
    files: raw.files.map(fileOf),
  };
}
