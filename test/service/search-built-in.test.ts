import { expect, test } from 'vitest';

import { runNow } from '../../src/platform/jobs/operate.ts';
import { EMBEDDING_QUEUE } from '../../src/service/search/vectors/work.ts';
import { until } from '../harness/until.ts';
import { serviceDatabase, startTestService } from './harness.ts';
import { openTables } from './world.ts';

test('the built-in model finds what shares no word, follows edits, and computes nothing again after a restart', async () => {
  const databaseUrl = await serviceDatabase();
  const running = await startTestService({ databaseUrl, search: { builtIn: true } });
  const make = async (title: string) => (await running.call('POST', '/tickets', { body: { title } })).body.id;
  const find = async (query: string, { call } = running) =>
    (
      await call('GET', `/tickets/semantic-search?${new URLSearchParams({ query }).toString()}`)
    ).body.items.map(({ id }) => id);
  const slow = await make('My machine takes ages to open programs');
  const lunch = await make('What is for lunch in the canteen today');
  await until('both are found by meaning', async () => {
    await runNow(openTables(running).db, EMBEDDING_QUEUE);
    return (await find('the computer is very slow'))[0] === slow;
  });
  expect(await find('the computer is very slow')).not.toContain(lunch);
  expect(await find('asdfgh qwertz')).toEqual([]);
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
