import { describe, expect, test } from 'vitest';

import { systemClock } from '../../../src/platform/clock.ts';
import { LOOK_MS, Pace, type Worked } from '../../../src/service/search/vectors/pace.ts';
import { dueTexts } from '../../../src/service/search/vectors/texts.ts';
import { startTestService } from '../harness.ts';
import { anotherWorkspace, openTables } from '../world.ts';

const REST = 400;
const old: Worked = { restMs: REST, isNew: false };
const fresh: Worked = { restMs: REST, isNew: true };
const times = (count: number, worked: Worked) => Array.from({ length: count }, () => worked);
const sum = (pauses: readonly number[]) => pauses.reduce((total, each) => total + each, 0);

describe('the pauses between two vectors', () => {
  test.each<[name: string, work: Worked[], pauses: number[]]>([
    ['while requests keep the process busy', times(2, old), [REST, REST]],
    ['while nobody else needs the processor', [{ ...old, restMs: 0 }], [0]],
    ['of new tickets', times(24, fresh), Array<number>(24).fill(0)],
    ['of a new ticket among many others', [old, fresh, old], [REST, 0, REST]],
  ])('%s', (_name, work, pauses) => {
    const pace = new Pace();
    expect(work.map((each) => pace.pauseAfter(each))).toEqual(pauses);
  });

  test('of new tickets without end are those of all others, until there was time to rest', () => {
    const pace = new Pace();
    const pauses = times(1_000, fresh).map((each) => pace.pauseAfter(each));
    expect(sum(pauses)).toBeGreaterThan(900 * REST);
    expect(pace.pauseAfter(fresh)).toBe(REST);
    for (let looks = 0; looks < 10; looks++) pace.rested(LOOK_MS);
    expect(pace.pauseAfter(fresh)).toBe(0);
  });
});

test('the vectors of new tickets come first, in whichever workspace thousands of others are due', async () => {
  const running = await startTestService({ begins: new Promise(() => undefined) });
  const { db } = openTables(running);
  const other = await anotherWorkspace(running);
  const provider = {
    name: 'built-in',
    model: 'any',
    batch: 3,
    isLocal: true,
    embed: () => Promise.resolve([]),
  } as const;
  await db
    .updateTable('search_setting')
    .set({ providers: ['built-in'] })
    .execute();
  const made: string[] = [];
  for (const token of [running.token, other.token, running.token, other.token])
    made.push((await running.call('POST', '/tickets', { token, body: { title: 'T' } })).body.id);
  // Opened long before.
  const [first = '', second = ''] = made;
  await db
    .updateTable('ticket')
    .set({ created_at: new Date(systemClock.now().getTime() - 3_600_000) })
    .where('id', 'in', [first, second])
    .execute();
  const due = await dueTexts(db, provider, 0);
  expect(due.map(({ ticket_id, isNew }) => [ticket_id, isNew])).toEqual([
    [made[3], true],
    [made[2], true],
    [second, false],
  ]);
});
