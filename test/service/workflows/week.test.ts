import { expect, it } from 'vitest';

import { MovableClock } from '../clock.ts';
import { serviceDatabase, startTestService } from '../harness.ts';
import { create } from '../tickets/requests.ts';
import { workNow } from '../work.ts';
import { openTables } from '../world.ts';
import { activate, messagesOf, onlyRun, readWorkflow, runs, sender, settledIn, states } from './setup.ts';

const DAY_MS = 24 * 60 * 60_000;

it('a run that waits for a week goes on after restarts of both processes, in the version that it began with', async () => {
  const databaseUrl = await serviceDatabase();
  const clock = new MovableClock();
  const start = () => startTestService({ databaseUrl, clock });
  let [one, two] = [await start(), await start()];
  const tables = openTables({ databaseUrl });
  const id = await activate(one, {
    steps: {
      opened: ['Opened', 'ticket.created'],
      hello: ['Hello', 'message.note', { content: 'Before, in the first version' }],
      wait: ['A week', 'wait.for', { minutes: 7 * 24 * 60 }],
      bye: ['Bye', 'message.note', { content: 'After, in the first version' }],
    },
    leads: [
      ['opened', 'hello'],
      ['hello', 'wait'],
      ['wait', 'bye'],
    ],
  });
  const { id: ticketId } = await create(one);
  await settledIn(one);
  expect((await onlyRun(one)).state).toBe('waiting');

  // A second version: without the wait, and with other words. One process restarts, then the other.
  const { steps } = await readWorkflow(one, id);
  await one.stop();
  one = await start();
  clock.pass(3 * DAY_MS);
  await workNow(tables, 'workflow-timer');
  await settledIn(one);
  const changed = steps
    .filter((step) => step.id !== 'wait')
    .map((step) => (step.id === 'opened' ? step : { ...step, inputs: { content: 'In the second version' } }));
  await sender(two)('PUT', `/workflows/${id}`, {
    name: 'Flow',
    state: 'Active',
    steps: changed,
    connections: [],
  });
  await two.stop();
  two = await start();
  clock.pass(4 * DAY_MS - 60_000);
  await workNow(tables, 'workflow-timer');
  await settledIn(two);
  expect(await messagesOf(two, ticketId)).toEqual(['Before, in the first version']);
  expect((await onlyRun(two)).state).toBe('waiting');

  // The week is over while nothing runs.
  await one.stop();
  await two.stop();
  clock.pass(2 * 60_000);
  [one, two] = [await start(), await start()];
  await workNow(tables, 'workflow-timer');
  await settledIn(one);
  const run = await onlyRun(two);
  expect([run.version, run.state, states(run)]).toEqual([
    1,
    'finished',
    { opened: 'done', hello: 'done', wait: 'done', bye: 'done' },
  ]);
  expect(await messagesOf(two, ticketId)).toEqual([
    'Before, in the first version',
    'After, in the first version',
  ]);

  // What is opened from then on runs in the new one.
  const { id: later } = await create(two);
  await settledIn(two);
  expect(await messagesOf(one, later)).toEqual(['In the second version', 'In the second version']);
  expect((await runs(one)).map(({ version }) => version)).toEqual([1, 2]);
});
