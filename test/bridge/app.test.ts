import type { App } from '@slack/bolt';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createApp } from '../../src/bridge/app.ts';
import { CARD_ACTIONS } from '../../src/bridge/blocks/card.ts';
import { MESSAGE_ACTIONS, MODALS, SHORTCUTS } from '../../src/bridge/blocks/modals.ts';
import { ACTIONS } from '../../src/bridge/blocks/results.ts';
import type { Bridge } from '../../src/bridge/bridge.ts';
import { RATING_ACTIONS } from '../../src/bridge/features/agents/rate.ts';
import { ASK_ACTIONS, ASK_MODALS, SCORE_ACTIONS } from '../../src/bridge/features/approvals/blocks.ts';
import { FORM_ACTIONS, FORM_BUTTONS, FORM_CALLBACK } from '../../src/bridge/features/forms/blocks.ts';
import { HOME_ACTIONS, HOME_CALLBACK } from '../../src/bridge/features/home/blocks.ts';
import { NOTICE_CHOICE } from '../../src/bridge/features/notifications/blocks.ts';
import { originalOf } from '../../src/bridge/inbox/classify.ts';
import { EventContext } from '../../src/bridge/inbox/event-context.ts';
import { boltProperties } from '../../src/bridge/inbox/listener.ts';
import { type ChatEvent, parseChatEvent } from '../../src/bridge/slack/chat-event.ts';
import type { Envelope } from '../../src/bridge/slack/envelope.ts';
import { createLog } from '../../src/platform/log.ts';
import { envelopes } from '../harness/envelopes.ts';

// Envelopes as Slack documents them, stored and read again, and handed to Bolt as the engine does.

const NOW = new Date('2026-01-05T09:00:00.000Z');
const FIXTURES = new URL('../fixtures/chat/', import.meta.url);
const Events = z.object({ events: z.record(z.string(), z.looseObject({ type: z.string() })) });
const Messages = z.record(z.string(), z.object({ event: z.looseObject({ type: z.string() }) }));
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8'));

const bridge = {
  bot: { team: 'T1', botId: 'B1', userId: 'UBOT' },
  log: createLog({ level: 'silent', pretty: false }),
  clock: { now: () => NOW },
} as unknown as Bridge;

/** A listener took the envelope; it goes no further here. */
class Taken extends Error {
  override readonly name = 'Taken';
}

class Counted extends EventContext<ChatEvent> {
  listeners = 0;
  override claim(): void {
    this.listeners += 1;
    throw new Taken();
  }
}

const countedFor = (event: ChatEvent) =>
  new Counted(
    bridge,
    { attempt: 1, isFirst: true },
    { id: 'inb_1', kind: event.kind, event, conversationId: null, receivedAt: NOW },
  );

let app: App;
beforeAll(async () => {
  const receiver = { init: () => undefined, start: async () => undefined, stop: async () => undefined };
  app = await createApp(bridge, receiver);
});

async function give({ body, event }: Envelope & { body: object }): Promise<number> {
  const ctx = countedFor(event);
  const ended = app.processEvent({ body, ack: async () => undefined, customProperties: boltProperties(ctx) });
  await ended.catch((error: unknown) => {
    if (!(originalOf(error) instanceof Taken)) throw error;
  });
  return ctx.listeners;
}

function stored(body: object) {
  const event = parseChatEvent(body);
  if (!event || event.kind === 'other') return undefined;
  return envelopes.read(JSON.parse(envelopes.write({ body, event })));
}

const callback = (event: object) => ({
  token: 'secret-of-the-app',
  team_id: 'T1',
  api_app_id: 'A1',
  event,
  type: 'event_callback',
  event_id: 'Ev1',
  event_time: 1_700_000_000,
  authorizations: [
    {
      enterprise_id: null,
      team_id: 'T1',
      user_id: 'U_INSTALLER',
      is_bot: true,
      is_enterprise_install: false,
    },
  ],
});

const by = {
  token: 'secret-of-the-app',
  api_app_id: 'A1',
  team: { id: 'T1', domain: 'acme' },
  user: { id: 'U1', username: 'ada.lovelace', name: 'ada.lovelace', team_id: 'T1' },
  enterprise: null,
  is_enterprise_install: false,
  trigger_id: '1.2.trigger-of-a-person',
  response_url: 'https://hooks.slack.com/actions/of-a-person',
};
const view = (callbackId: string) => ({
  id: 'V1',
  hash: '1.abc',
  callback_id: callbackId,
  private_metadata: '{}',
  blocks: [],
  state: { values: { title: { title: { type: 'plain_text_input', value: 'hello' } } } },
});
const pressed = (actionId: string, more: object = {}) => ({
  ...by,
  type: 'block_actions',
  channel: { id: 'C1', name: 'it-help' },
  container: { type: 'message', message_ts: '1700000000.000100', channel_id: 'C1' },
  message: { type: 'message', ts: '1700000000.000100', text: 'a card', user: 'UBOT' },
  actions: [{ action_id: actionId, block_id: 'b', action_ts: '1.1', value: 'v', type: 'button' }],
  ...more,
});
const submitted = (callbackId: string) => ({ ...by, type: 'view_submission', view: view(callbackId) });
const message = { type: 'message', ts: '1700000000.000100', user: 'U1', text: 'the printer is on fire' };
const shortcut = (callbackId: string) => ({
  ...by,
  type: 'message_action',
  callback_id: callbackId,
  channel: { id: 'C1', name: 'it-help' },
  message,
});
const command = (text: string) => ({
  token: 'secret-of-the-app',
  team_id: 'T1',
  channel_id: 'C1',
  user_id: 'U1',
  user_name: 'ada.lovelace',
  command: '/ticket',
  text,
  trigger_id: by.trigger_id,
  response_url: by.response_url,
});

const documented: [name: string, body: object][] = [
  ...Object.entries(Messages.parse(read('messages.json'))).map(([name, { event }]): [string, object] => [
    `message ${name}`,
    callback(event),
  ]),
  ...Object.entries(Events.parse(read('events.json')).events).map(([name, event]): [string, object] => [
    `event ${name}`,
    callback(event),
  ]),
  ...['list', 'new', 'new the printer is on fire', ''].map((text): [string, object] => [
    `command “${text}”`,
    command(text),
  ]),
  ...[
    ...Object.values(CARD_ACTIONS),
    ...Object.values(ACTIONS),
    ...Object.values(MESSAGE_ACTIONS),
    ...Object.values(RATING_ACTIONS),
    ...Object.values(ASK_ACTIONS),
    ...SCORE_ACTIONS,
    ...Object.values(FORM_BUTTONS),
    FORM_ACTIONS.type,
    FORM_ACTIONS.parent,
    NOTICE_CHOICE,
  ].map((id): [string, object] => [`button ${id}`, pressed(id)]),
  ...[...Object.values(HOME_ACTIONS), 'home_previous', ...Object.values(FORM_BUTTONS)].map(
    (id): [string, object] => [
      `button ${id} of a Home`,
      pressed(id, { view: view(HOME_CALLBACK), channel: null, message: null, container: { type: 'view' } }),
    ],
  ),
  ...[...Object.values(MODALS), ...Object.values(ASK_MODALS), FORM_CALLBACK].map((id): [string, object] => [
    `window ${id}`,
    submitted(id),
  ]),
  ...Object.values(SHORTCUTS)
    .filter((id) => id !== SHORTCUTS.newTicket)
    .map((id): [string, object] => [`shortcut ${id}`, shortcut(id)]),
  ['shortcut without a message', { ...by, type: 'shortcut', callback_id: SHORTCUTS.newTicket }],
];

describe('every kind of envelope that is stored', () => {
  const kept = documented.flatMap(([name, body]) => {
    const envelope = stored(body);
    return envelope ? [[name, body, envelope] as const] : [];
  });

  test('is among the documented ones', () => {
    const kinds = new Set(kept.map(([, , { event }]) => event.kind));
    expect([...kinds].sort()).toEqual([
      'action',
      'command',
      'global-shortcut',
      'home',
      'link',
      'message',
      'message-deleted',
      'message-edited',
      'person',
      'reaction',
      'shortcut',
      'submission',
    ]);
    expect(kept.length).toBeGreaterThan(60);
  });

  test.each(kept)('exactly one listener takes it: %s', async (_, __, envelope) => {
    expect(await give(envelope)).toBe(1);
  });

  test.each(kept)('reads after it was stored as it read when it came: %s', (_, body, { event }) => {
    const { profile: _profile, ...came } = { profile: undefined, ...parseChatEvent(body) };
    const { profile: _read, ...again } = { profile: undefined, ...event };
    expect(again).toEqual(came);
  });

  test.each(kept)(
    'is stored without secrets, and with what answers a person only sealed: %s',
    (_, body, { event }) => {
      const text = envelopes.write({ body, event });
      for (const secret of [
        'secret-of-the-app',
        'U_INSTALLER',
        'trigger-of-a-person',
        'hooks.slack.com',
        // Profiles, and what the bot shows of others.
        'ada.lovelace',
        'a card',
      ])
        expect(text).not.toContain(secret);
    },
  );
});

test.each<[string, object]>([
  ['a button of another app’s message', pressed('of_another_app')],
  ['a link that was followed', pressed('home_link_button')],
  ['a window of another app', submitted('of_another_app')],
  ['a shortcut of another app', shortcut('of_another_app')],
  ['a button of a Home in a message', pressed(HOME_ACTIONS.go)],
])('no listener takes %s', async (_, body) => {
  const envelope = stored(body);
  expect(envelope && (await give(envelope))).toBe(0);
});

test('two listeners that take one envelope are refused before the second acts', () => {
  const event = parseChatEvent(callback({ ...message, channel: 'C1' }));
  if (!event) throw new Error('no event');
  const ctx = new EventContext(
    bridge,
    { attempt: 1, isFirst: true },
    { id: null, kind: event.kind, event, conversationId: null, receivedAt: NOW },
  );
  ctx.claim();
  expect(() => ctx.claim()).toThrow('two listeners claimed one event');
});

test('what a listener sends by Bolt itself is refused', async () => {
  await expect(app.client.chat.postMessage({ channel: 'C1', text: 'hello' })).rejects.toThrow(
    /has to plan a post/,
  );
});

test('an envelope with a field of any value where Bolt looks for another is stored as something else, or taken as ever', async () => {
  const bodies = documented.filter(([, body]) => stored(body)).map(([, body]) => body);
  const paths = (value: unknown, depth = 0): string[][] =>
    typeof value === 'object' && value !== null && depth < 3
      ? Object.entries(value).flatMap(([key, one]) => [
          [key],
          ...paths(one, depth + 1).map((rest) => [key, ...rest]),
        ])
      : [];
  const put = (value: unknown, [key = '', ...rest]: string[], what: unknown): unknown =>
    Array.isArray(value)
      ? value.map((one: unknown, n) =>
          String(n) === key ? (rest.length > 0 ? put(one, rest, what) : what) : one,
        )
      : {
          ...(value as object),
          [key]: rest.length > 0 ? put((value as Record<string, unknown>)[key], rest, what) : what,
        };
  const added = ['item', 'channel', 'subteam', 'view', 'user', 'enterprise'].flatMap((key) => [
    [key],
    ['event', key],
  ]);
  const arbitrary = fc
    .constantFrom(...bodies)
    .chain((body) =>
      fc.tuple(
        fc.constant(body),
        fc.constantFrom(...paths(body), ...added.filter(([at]) => at !== 'event' || 'event' in body)),
        fc.oneof(fc.constantFrom(null, '', 'x', 0, [], {}, [null]), fc.jsonValue()),
      ),
    );
  await fc.assert(
    fc.asyncProperty(arbitrary, async ([body, at, what]) => {
      const envelope = stored(put(body, at, what) as object);
      if (envelope) expect(await give(envelope)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 1_000 },
  );
});
