import { expect, test } from 'vitest';

import { Database } from '../../src/sandbox/store/database.ts';
import { HeldClock, openSandbox } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

const say = (text: string) => ({ channel: 'it-help', user: 'ada', text });

/** The message texts of the envelopes that a stopped sandbox has stored, oldest first. */
function storedTexts(file: string): string[] {
  const db = new Database(file);
  const rows = db
    .query<{ text: string }>(`select body ->> '$.event.text' as text from envelope order by seq`)
    .all();
  db.close();
  return rows.map(({ text }) => text);
}

test('an acknowledged envelope is deleted; an unacknowledged one stays and survives a restart', async () => {
  const file = sandboxFile();
  // Held, so that nothing is repeated on a slow machine.
  const clock = new HeldClock();
  const sandbox = await openSandbox({ file, clock });
  const socket = await rawSocket(sandbox);
  const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
  for (const text of texts) await sandbox.control.message(say(text));
  const envelopes = await socket.envelopes.first(texts.length);
  const kept = ['message 7', 'message 39'];
  const acked = envelopes.filter(({ payload }) => !kept.includes(String(payload.event['text'])));
  const since = sandbox.control.mark();
  for (const envelope of acked) socket.ack(envelope);
  const last = acked.at(-1)?.envelope_id;
  await sandbox.control.waitFor('ack', ({ envelope_id }) => envelope_id === last, { since });
  expect(sandbox.control.state().undelivered).toBe(kept.length);
  await sandbox.stop();
  expect(storedTexts(file)).toEqual(kept);

  const again = await rawSocket(await openSandbox({ file, clock }));
  const repeated = await again.envelopes.first(kept.length);
  expect(repeated.map(({ payload }) => payload.event['text'])).toEqual(kept);
  expect(repeated.map(({ retry_attempt }) => retry_attempt)).toEqual([1, 1]);
});

test('an envelope that is given up is deleted too', async () => {
  const file = sandboxFile();
  const sandbox = await openSandbox({ file });
  await sandbox.control.message(say('nobody hears this'));
  await sandbox.stop();
  expect(storedTexts(file)).toEqual(['nobody hears this']);
  const again = await openSandbox({ file });
  // After this time all retries have ended.
  again.control.clock({ advance: 10 * 60_000 });
  await again.control.waitFor('unacked', ({ next }) => next === 'dropped', { since: 0 });
  await again.stop();
  expect(storedTexts(file)).toEqual([]);
});
