import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { isTooSlow } from '../harness/machine.ts';
import { sessionCookie } from '../harness/sign-in.ts';
import { ticketAt } from '../harness/ticket.ts';
import { startProcess } from '../harness/world.ts';

const CHANNEL = 'it-help';
const ROUNDS = 3;
/**
 * The limit for the median of the rounds in which the event loop may be blocked, in milliseconds of its
 * thread; the goal is 50.
 */
const HELD_AT_MOST_MS = 100;

/** Repeated, these pieces are slow to parse. */
const PIECES = ['[a](<', '[a][`x', '| 1 | 2 |\n', '**a_'];
const text = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

test('hostile texts and long lists never block the event loop of the running program: chat, service, desk and ticket page', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holds-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const holds = path.join(folder, 'holds');
  const world = await startProcess({
    NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'harness/held-process.ts')}`,
    HOLDS_FILE: holds,
  });
  const { chat, service, urls, apiKey } = world;
  const { bot } = await chat.state();
  /** The longest block since the last call. */
  let seen = 0;
  const longestMs = async () => {
    const lines = (await readFile(holds, 'utf8')).trim().split('\n');
    const since = lines.slice(seen).map(Number);
    seen = lines.length;
    return Math.max(...since);
  };
  const headers = { cookie: await sessionCookie(world), 'sec-fetch-site': 'same-origin' };
  const read = async (url: string, more: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers: more });
    expect([url.replace(/\?.*/, ''), answer.status]).toEqual([url.replace(/\?.*/, ''), 200]);
    return answer.text();
  };

  const held: number[] = [];
  // One more round: the first one compiles everything.
  for (let round = 0; round <= ROUNDS; round++) {
    await world.untilIdle();
    await longestMs();
    for (const piece of PIECES) {
      const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${text(piece, 38_000)}`);
      const { id, code } = await ticketAt(service, ts);
      await chat.say(CHANNEL, 'ada', text(piece, 39_000), ts);
      await service.createTicketMessage({ body: { ticketId: id, content: text(piece, 100_000) } });
      await world.untilIdle();
      await read(`${urls.root}/desk/api/tickets/${code}`, headers);
      await read(`${urls.root}/desk/api/ticket-messages?ticketId=${id}`, headers);
      const page = /https?:[^"|<>]+\/shared\/[^"|<>]+k=[\w.-]+/.exec(
        JSON.stringify(await chat.thread(CHANNEL, ts)),
      );
      expect(page).not.toBeNull();
      await read(page?.[0] ?? '');
    }
    for (const list of ['tickets', 'ticket-messages'])
      await read(`${urls.api}/${list}?limit=10000`, { 'x-service-api-token': apiKey });
    held.push(await longestMs());
  }
  console.log(`held for ${held.map((ms) => ms.toFixed(0)).join(', ')} ms at most, round by round`);
  const [, median = Number.NaN] = held.slice(1).toSorted((a, b) => a - b);
  expect([median, isTooSlow(median, HELD_AT_MOST_MS)]).toEqual([median, false]);
});
