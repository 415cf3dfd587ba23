import { readFileSync } from 'node:fs';

import type { AllMessageEvents, SlackEvent } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { decideMessage, type MessageDecision } from '../../../src/bridge/threads/rules.ts';
import {
  EVENT_KINDS,
  isUserText,
  MESSAGE_KINDS,
  PLAIN,
  treatmentOf,
} from '../../../src/bridge/slack/message-kinds.ts';
import { type ChatEvent, parseChatEvent } from '../../../src/bridge/slack/chat-event.ts';
import { textOf } from '../../docs/documents.ts';
import { REPLY } from '../threads/reply-facts.ts';
import { IGNORED_EVENTS, IGNORED_MESSAGES } from './ignored-kinds.ts';

const FIXTURES = new URL('../../fixtures/chat/', import.meta.url);

const messageKinds = [...MESSAGE_KINDS.keys(), ...Object.keys(IGNORED_MESSAGES)];
const eventKinds = [...EVENT_KINDS.keys(), ...Object.keys(IGNORED_EVENTS)];

// These lines do not compile if the SDK names a kind without a row.
type Missing<Kinds extends string, Ignored> = Exclude<Kinds, keyof Ignored>;
const handledMessages: Record<
  Missing<Exclude<AllMessageEvents['subtype'], undefined>, typeof IGNORED_MESSAGES>,
  true
> = {
  me_message: true,
  file_share: true,
  thread_broadcast: true,
  bot_message: true,
  message_changed: true,
  message_deleted: true,
};
const handledEvents: Record<Missing<SlackEvent['type'], typeof IGNORED_EVENTS>, true> = {
  message: true,
  app_mention: true,
  reaction_added: true,
  reaction_removed: true,
  app_home_opened: true,
  link_shared: true,
  user_change: true,
};

const Fixture = z.object({ source: z.string().min(1), event: z.looseObject({ type: z.string() }) });
const Events = z.object({
  source: z.string().min(1),
  events: z.record(z.string(), z.looseObject({ type: z.string() })),
});

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));
const messages = new Map(
  Object.entries(z.record(z.string(), Fixture).parse(read('messages'))).map(([name, { event }]) => [
    name,
    event,
  ]),
);
const { events } = Events.parse(read('events'));

function parse(event: object, eventId = 'Ev0123456789'): ChatEvent | undefined {
  return parseChatEvent({ type: 'event_callback', team_id: 'T0123456789', event_id: eventId, event });
}

function withoutSubtype(event: object | undefined): object {
  return Object.fromEntries(Object.entries(event ?? {}).filter(([name]) => name !== 'subtype'));
}

/** The facts of forwardMessage for a message in a ticket's thread, for an app whose bot is U0BOTUSER01. */
function decided(event: ChatEvent | undefined): MessageDecision | undefined {
  if (event?.kind !== 'message') return undefined;
  const { message } = event;
  return decideMessage({
    ...REPLY,
    isOurs: message.user === 'U0BOTUSER01',
    fromBot: message.botId !== undefined || message.user === undefined,
    subtype: message.subtype,
  });
}

describe('B21 every kind of chat message', () => {
  test('B21 has a row and a fixture', () => {
    expect([...messages.keys()].toSorted()).toEqual(messageKinds.toSorted());
    expect([...MESSAGE_KINDS.keys()].toSorted()).toEqual([PLAIN, ...Object.keys(handledMessages)].toSorted());
    for (const [name, event] of messages) expect(event['subtype'] ?? PLAIN).toBe(name);
  });

  test.each(messageKinds)('B21 %s is parsed and treated as its row says', (name) => {
    const event = parse(messages.get(name) ?? {});
    const decision = decided(event)?.do;
    const outcome: Record<ReturnType<typeof treatmentOf>, unknown> = {
      edit: event?.kind === 'message-edited',
      deletion: event?.kind === 'message-deleted',
      words: decision === (name === 'bot_message' ? 'ignore' : 'append'),
      none: event?.kind === 'other' || decision === 'ignore',
    };
    const treatment = treatmentOf(name);
    expect(treatment === 'none').toBe(name in IGNORED_MESSAGES);
    expect(outcome[treatment], `${event?.kind ?? 'unread'}, ${decision ?? 'undecided'}`).toBe(true);
  });

  test('B60 the events of one broadcast reply add one message to the ticket', () => {
    const broadcast = messages.get('thread_broadcast') ?? {};
    const { root } = z.object({ root: z.record(z.string(), z.unknown()) }).parse(broadcast);
    const plain = withoutSubtype(broadcast);
    const told = [
      broadcast,
      plain,
      { ...plain, type: 'app_mention' },
      messages.get('reply_broadcast') ?? {},
      messages.get('message_replied') ?? {},
      {
        type: 'message',
        subtype: 'message_changed',
        hidden: true,
        channel: 'C0123456789',
        ts: '1700000101.000300',
        message: root,
        previous_message: { ...root, reply_count: 1 },
      },
    ].map((event, at) => parse(event, `Ev${at}`));
    const keys = told.filter((event) => decided(event)?.do === 'append').map((event) => event?.key);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(told.some((event) => event?.kind === 'message-edited')).toBe(false);
  });

  test('B21 an update of a thread’s counters without its subtype is not a message', () => {
    expect(parse(withoutSubtype(messages.get('message_replied')))?.kind).toBe('other');
  });

  test('B21 a text that Slack shows instead of a message is not an edit', () => {
    const changed = z
      .looseObject({ message: z.record(z.string(), z.unknown()) })
      .parse(messages.get('message_changed'));
    const denied = {
      ...changed.message,
      subtype: 'ekm_access_denied',
      text: 'Your admins have suspended access',
    };
    expect(parse({ ...changed, type: 'message', message: denied })?.kind).toBe('other');
  });

  test('B17 B63 messages of Slack’s own users count as an app’s, though they look like a person’s', () => {
    for (const user of ['USLACKBOT', 'USLACK']) {
      const written = { ...messages.get(PLAIN), type: 'message', user, text: 'Reminder: call.' };
      expect(decided(parse(written))).toMatchObject({ do: 'ignore' });
      const reaction = { ...events['reaction_added'], user };
      expect(parse(reaction)?.kind).toBe('other');
    }
  });

  test('B21 a message with an unknown subtype is not added to a ticket, nor one named like an object property', () => {
    for (const subtype of ['hologram', 'constructor', '__proto__', 'toString', ''])
      expect(isUserText(subtype)).toBe(false);
    expect(decided(parse({ ...messages.get(PLAIN), type: 'message', subtype: 'hologram' }))?.do).toBe(
      'ignore',
    );
  });
});

describe('every event that is not a message', () => {
  test('B21 has a row and an example', () => {
    expect(Object.keys(events).toSorted()).toEqual(
      eventKinds.filter((type) => type !== 'message').toSorted(),
    );
    expect([...EVENT_KINDS.keys()].toSorted()).toEqual(Object.keys(handledEvents).toSorted());
  });

  test.each(Object.entries(events))('B21 %s is parsed as its row says', (type, event) => {
    expect(event.type).toBe(type);
    expect(parse(event)?.kind).toBe(EVENT_KINDS.get(type) ?? 'other');
  });

  test('B21 every event of the manifest is handled, and every other handled event has a reason for not being requested', () => {
    const asked = (/bot_events:\n((?: +- .+\n)+)/.exec(textOf('manifest.yml'))?.[1] ?? '')
      .split('\n')
      .map((line) => line.replace(/^ +- /, '').replace(/^message\..*/, 'message'))
      .filter(Boolean);
    expect(new Set(asked)).toEqual(new Set(EVENT_KINDS.keys()));
  });
});
