import type { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';

import { openWindow } from '../../../src/bridge/entry/open-window.ts';
import { fillModal } from '../../../src/bridge/inbox/answer-in-time.ts';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { sayingModal } from '../../../src/bridge/blocks/modals.ts';
import { ChatError } from '../../../src/bridge/slack/errors.ts';
import { Modals } from '../../../src/bridge/slack/writer.ts';
import type { ChatEvent } from '../../../src/bridge/slack/chat-event.ts';
import { RetryLater } from '../../../src/platform/engine/index.ts';
import { createLog } from '../../../src/platform/log.ts';

const NOW = new Date('2026-01-05T09:00:00.000Z');
const log = createLog({ level: 'silent', pretty: false });
const refused = (code: string) => new ChatError(code, { next: 'give-up', certain: true, code });

/** A person's command whose window Slack opens late; every answer to the person is a refused one, which is counted. */
function begin() {
  const opening = Promise.withResolvers<never>();
  const shown: string[] = [];
  let isOpen = false;
  const client = {
    views: {
      open: () => opening.promise,
      update: async () => {
        if (!isOpen) throw refused('not_found');
        shown.push('filled');
      },
    },
  } as unknown as WebClient;
  const event = {
    kind: 'command',
    command: { team: 'T1', user: 'U1', triggerId: '1.2.3', responseUrl: 'https://hooks.example/1' },
  } as unknown as ChatEvent;
  const told: string[] = [];
  const bridge = {
    modals: new Modals(client),
    clock: { now: () => NOW },
    log,
    // Whoever is told is told here: no answer is sent to an address that is not Slack's.
    get answersFrom() {
      told.push('told');
      return [];
    },
    database: {
      db: {
        insertInto: () => ({
          values: () => ({ onConflict: () => ({ execute: async () => undefined }) }),
        }),
      },
    },
  } as unknown as Bridge;
  const window = openWindow(bridge, [async () => sayingModal('New ticket', 'One moment…')], event);
  const fill = (secondsAgo: number) =>
    fillModal(
      bridge,
      { receivedAt: new Date(NOW.getTime() - secondsAgo * 1000), event },
      '1.2.3',
      sayingModal('New ticket', 'Here'),
    ).then(
      () => 'done',
      (error: unknown) => (error instanceof RetryLater ? 'again' : 'failed'),
    );
  return { opening, window, fill, told, shown, open: () => (isOpen = true) };
}

test.each(['expired_trigger_id', 'invalid_arguments', 'internal_error'])(
  'of a window at which Slack fails late with %s, its person is told once, whenever it is to be filled',
  async (code) => {
    const { opening, window, fill, told } = begin();
    expect(await fill(1)).toBe('again');
    expect(await fill(5)).toBe('again');
    expect(await fill(60)).toBe('again');
    expect(told.length).toBe(0);
    opening.reject(refused(code));
    await window;
    const once = told.length;
    expect(once).toBeGreaterThan(0);
    expect(await fill(61)).toBe('done');
    expect(told.length).toBe(once);
  },
);

test('a window that opens late is filled, and nobody is told anything', async () => {
  const { fill, told, shown, open } = begin();
  expect(await fill(5)).toBe('again');
  open();
  expect(await fill(6)).toBe('done');
  expect([shown, told.length]).toEqual([['filled'], 0]);
});
