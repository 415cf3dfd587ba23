import { expect, test } from 'vitest';

import { createTurns } from '../../src/desk/turns.ts';

test('work runs one after the other for a session, and a few at once for all; a failure holds nobody up', async () => {
  const turns = createTurns(2);
  const running = new Map<string, number>();
  let [now, most, done] = [0, 0, 0];
  const work = (session: string, fails: boolean) =>
    turns.take(session, async () => {
      const own = (running.get(session) ?? 0) + 1;
      running.set(session, own);
      most = Math.max(most, ++now);
      expect(own).toBe(1);
      await Promise.resolve();
      running.set(session, 0);
      now--;
      done++;
      if (fails) throw new Error('planted');
    });
  const all = Array.from({ length: 30 }, (_, at) => work(`s${at % 5}`, at % 7 === 0));
  const results = await Promise.allSettled(all);
  expect([most, done]).toEqual([2, 30]);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5);
});
