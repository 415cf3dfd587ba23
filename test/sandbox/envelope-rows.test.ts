import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { programsDatabase } from '../harness/programs.ts';
import { until } from '../harness/until.ts';
import { HeldClock, openSandbox } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';

const say = (text: string) => ({ channel: 'it-help', user: 'ada', text });

/** The texts of the messages whose envelopes are stored, oldest first. */
async function storedTexts(databaseUrl: string): Promise<() => Promise<string[]>> {
  const database = openDatabase<object>({
    url: databaseUrl,
    schema: 'sandbox',
    log: createLog({ level: 'error', pretty: false }),
  });
  onTestFinished(() => database.close());
  return async () => {
    const { rows } = await sql<{ text: string }>`
      select body #>> '{event,text}' as text from envelope order by seq`.execute(database.db);
    return rows.map(({ text }) => text);
  };
}

test('what is acknowledged leaves the database while the sandbox runs; what is not stays and survives a restart', async () => {
  const { url: databaseUrl } = await programsDatabase();
  // Held: however slow the machine is, nothing is repeated for being late.
  const clock = new HeldClock();
  const sandbox = await openSandbox({ databaseUrl, clock });
  const stored = await storedTexts(databaseUrl);
  const socket = await rawSocket(sandbox);
  const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
  for (const text of texts) await sandbox.control.message(say(text));
  const envelopes = await socket.envelopes.first(texts.length);
  expect(await stored()).toEqual(texts);
  const kept = ['message 7', 'message 39'];
  for (const envelope of envelopes)
    if (!kept.includes(String(envelope.payload.event['text']))) socket.ack(envelope);
  await until('rows deleted', async () => (await stored()).length === kept.length, { seen: stored });
  expect(await stored()).toEqual(kept);
  expect(sandbox.control.state().undelivered).toBe(kept.length);

  await sandbox.stop();
  const again = await rawSocket(await openSandbox({ databaseUrl, clock }));
  const repeated = await again.envelopes.first(kept.length);
  expect(repeated.map(({ payload }) => payload.event['text'])).toEqual(kept);
  expect(repeated.map(({ retry_attempt }) => retry_attempt)).toEqual([1, 1]);
});

test('what is given up leaves the database too', async () => {
  const { url: databaseUrl } = await programsDatabase();
  const sandbox = await openSandbox({ databaseUrl });
  const stored = await storedTexts(databaseUrl);
  await sandbox.control.message(say('nobody hears this'));
  expect(await stored()).toEqual(['nobody hears this']);
  // All retries would be over by then.
  sandbox.control.clock({ advance: 10 * 60_000 });
  await sandbox.control.waitFor('unacked', ({ next }) => next === 'dropped', { since: 0 });
  await until('row deleted', async () => (await stored()).length === 0, { seen: stored });
});
