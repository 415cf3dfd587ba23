import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { createWebClient } from '../../../src/bridge/slack/client.ts';
import { ChatReader } from '../../../src/bridge/slack/reader.ts';
import type { Reconciler } from '../../../src/bridge/reconcile/reconciler.ts';
import { compareAll, workRound } from '../../../src/bridge/reconcile/rounds.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { MovableClock } from '../../service/clock.ts';

const log = createLog({ level: 'silent', pretty: false });
const SECOND_MS = 1_000;

/** A server that returns these messages for every Web API call, after `before` has run. */
async function serveMessages(messages: readonly unknown[], before: () => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => {
    before().then(
      () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ok: true, messages })),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
}

test('B50 a thread whose comparison began before a full comparison was requested is compared again', async () => {
  const { database } = await bridgeDatabase(2);
  const clock = new MovableClock();
  const bot = { team: 'T1', userId: 'UBOT', botId: 'B1', name: 'deskbridge' };
  const root = (clock.now().getTime() / SECOND_MS).toFixed(6);
  await database.db
    .insertInto('conversation')
    .values({
      ...{ id: 'cnv_1', team_id: bot.team, channel_id: 'C1', thread_ts: root, ticket_id: 'tkt_1' },
      ...{ active_at: clock.now(), created_at: clock.now() },
    })
    .execute();

  let reads = 0;
  const apiUrl = await serveMessages(
    [{ type: 'message', user: 'UADA', ts: root, text: 'help' }],
    async () => {
      reads += 1;
      if (reads > 1) return;
      // The connection is lost and restored during the first read, so its list may be out of date.
      clock.pass(SECOND_MS);
      await compareAll({ database, bot, clock });
      clock.pass(SECOND_MS);
    },
  );
  const chat = new ChatReader(createWebClient('xoxb-1', apiUrl), clock);
  const bridge = { database, chat, bot, clock, log } as unknown as Bridge;
  const reconciler: Reconciler = {
    bridge,
    settings: { everyMs: 60_000, settleMs: 0, readsPerMinute: 20, retentionDays: 90 },
    settle: () => Promise.resolve(),
    beforeRead: () => Promise.resolve(),
    keepWebhook: () => Promise.resolve(),
  };
  const job = {
    ...{ payload: { part: 'threads' }, attempt: 1 },
    complete: () => Promise.resolve(),
  } as never;

  await workRound(reconciler, job);
  expect(reads).toBe(1);
  await workRound(reconciler, job);
  expect(reads).toBe(2);
  await workRound(reconciler, job);
  expect(reads).toBe(2);
});
