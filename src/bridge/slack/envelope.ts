import { createHash, randomBytes } from 'node:crypto';

import { z } from 'zod';

import { createSealing, SEALING_KEY_BYTES, type Sealing, SealingError } from '../../platform/sealing.ts';
import type { BotToken } from './client.ts';
import { boundTexts, type ChatEvent, parseChatEvent } from './chat-event.ts';
import { withTrigger } from './interaction.ts';

/** An envelope in Slack's own shape, and what it says. */
export interface Envelope<Event extends ChatEvent = ChatEvent> {
  body: unknown;
  event: Event;
}

/** Secrets of an envelope: each allows to act in the name of the app or of the user. Profiles are read from Slack. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'token',
  'bot_access_token',
  'secret',
  'interactivity',
  'response_urls',
  'user_profile',
  'user_name',
]);
/** They answer a person, or open a window for one: kept sealed, as the work of the envelope needs them. */
const SEALED = ['response_url', 'trigger_id'] as const;
/** Deeper than any block that is read. */
const DEEPEST = 64;

const Authorization = z.object({
  team_id: z.string().nullish().catch(undefined),
  enterprise_id: z.string().nullish().catch(undefined),
  is_enterprise_install: z.boolean().optional().catch(undefined),
});
const Authorizations = z.array(Authorization).catch([]);

/** The stored part of an envelope, and its parser. */
export interface Envelopes {
  /** Returns the JSON to store: Slack's own shape, without secrets, profiles and what nothing reads. */
  write(envelope: Envelope): string;
  /** Returns a stored envelope, with its sealed fields opened; undefined if this version cannot read it. */
  read(stored: unknown): (Envelope & { body: object }) | undefined;
}

export function createEnvelopes(sealing: Sealing): Envelopes {
  return {
    write({ body, event }) {
      const kept = withoutSecrets(boundTexts(onlyRead(withTrigger(body) as Fields, event)));
      return JSON.stringify(mapSealed(kept, (text, field) => sealing.seal(text, field)));
    },
    read(stored) {
      if (typeof stored !== 'object' || stored === null) return undefined;
      const body = mapSealed(stored, (text, field) => openOr(sealing, text, field));
      const event = parseChatEvent(body);
      return event && { body, event };
    },
  };
}

/**
 * Returns the sealing of a bridge whose operator gave it a token: the key is made from the token, which the database
 * does not have. After another token nobody can be answered who pressed before. A token that changes cannot make a key:
 * a random one is used, for this process only.
 */
export function sealingWith(token: BotToken): Sealing {
  const key =
    typeof token === 'string'
      ? createHash('sha256').update('deskbridge envelopes').update(token).digest()
      : randomBytes(SEALING_KEY_BYTES);
  return createSealing([key]);
}

function mapSealed(body: unknown, map: (text: string, field: string) => string): object {
  const changed: Record<string, string> = {};
  for (const field of SEALED) {
    const { [field]: text } = body as Record<string, unknown>;
    if (typeof text === 'string' && text !== '') changed[field] = map(text, field);
  }
  return { ...(body as object), ...changed };
}

/** Empty where the key is another one now: as from Slack where it gives none. */
function openOr(sealing: Sealing, text: string, field: string): string {
  try {
    return sealing.open(text, field);
  } catch (error) {
    if (error instanceof SealingError) return '';
    throw error;
  }
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const pick = (value: unknown, names: readonly string[]): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
    : value;

const omit = (value: unknown, ...names: readonly string[]): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
    : value;

/**
 * Returns an envelope without what nothing reads and what has words or names of others: what the bot itself shows in
 * its messages, windows and Homes, a deleted text, the parent of a reply.
 */
function onlyRead(body: Fields, event: ChatEvent): Fields {
  switch (event.kind) {
    case 'person':
      return { ...body, event: { type: 'user_change', user: { id: event.user } } };
    case 'home':
      return { ...body, event: omit(body['event'], 'view') };
    case 'message':
      return { ...body, event: omit(body['event'], 'root') };
    case 'message-deleted':
      return { ...body, event: withoutDeleted(body['event']) };
    case 'action': {
      const message = pick(body['message'], ['type', 'ts', 'thread_ts', 'user', 'bot_id']);
      return { ...interactionOfPerson(body), message, view: omit(body['view'], 'blocks') };
    }
    case 'shortcut':
    case 'global-shortcut':
    case 'submission':
      return interactionOfPerson(body);
    case 'command':
    case 'message-edited':
    case 'reaction':
    case 'link':
    case 'unreadable':
    case 'other':
      return body;
  }
}

/** A deletion may come as an edit, to what is left of a message that has replies. */
function withoutDeleted(event: unknown): unknown {
  if (!isObject(event)) return event;
  const previous = pick(event['previous_message'], ['ts', 'thread_ts']);
  return { ...event, previous_message: previous };
}

const interactionOfPerson = (body: Fields): Fields => ({
  ...(omit(body, 'state') as Fields),
  user: pick(body['user'], ['id', 'team_id']),
});

/** Fields of an envelope and its event whose type Bolt does not check: objects, some of them strings. */
const OBJECTS: ReadonlySet<string> = new Set(['item', 'subteam', 'view']);
const OBJECTS_OR_IDS: ReadonlySet<string> = new Set(['channel', 'user', 'team', 'enterprise']);
const READ_BY_BOLT = 2;

/** Returns whether Bolt would throw where it meets this field: null means that it is absent. */
function wouldStumble(key: string, value: unknown, depth: number): boolean {
  if (depth >= READ_BY_BOLT) return false;
  if (value === null) return true;
  if (OBJECTS_OR_IDS.has(key)) return typeof value !== 'object' && typeof value !== 'string';
  return OBJECTS.has(key) && typeof value !== 'object';
}

/** Returns a value without secrets, without what Bolt stumbles over, and without who installed the app. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, depth + 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (LEFT_OUT.has(key) || wouldStumble(key, one, depth)) return [];
      if (key === 'authorizations') return [[key, Authorizations.parse(one)]];
      // A file's address may carry a token of its own.
      if (key.startsWith('url_private') && typeof one === 'string')
        return [[key, one.replace(/[?#].*$/s, '')]];
      return [[key, withoutSecrets(one, depth + 1)]];
    }),
  );
}
