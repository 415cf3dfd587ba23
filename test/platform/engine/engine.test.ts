import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import { GiveUp, newWork, RetryLater, type Work } from '../../../src/platform/engine/index.ts';
import { systemTimers, type Timers } from '../../../src/platform/timers.ts';
import { until } from '../../harness/until.ts';
import { engineSetup, type Process, SLOW, type Tables, WORD, writeEffect } from './setup.ts';

const { db, process, effects, rows, lanes, endLeases } = engineSetup();

/** Lets a process write each word as an effect, once its handler has returned. */
function writesWords(
  { engine }: Process,
  before: (work: Work<string, Tables>) => Promise<void> | void = () => undefined,
) {
  engine.handle(WORD, {
    work: async (work) => {
      await before(work);
      return { outcome: 'written', write: (tx) => writeEffect(tx, work.body) };
    },
  });
}

const word = (lane: string, body: string, options: Parameters<typeof newWork>[3] = {}) =>
  newWork(WORD, lane, body, options);

/** The sessions of connections on which processes listen and look for dead ones. */
async function listeners(): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database()
      and (query like 'select pg_advisory_lock_shared%' or query like 'with others as materialized%')`.execute(
    db(),
  );
  return rows.map(({ pid }) => pid);
}

/** How many statements wait for a lock. */
async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db());
  return rows[0]?.waiting ?? 0;
}

/** A gate that work waits at. */
function gate() {
  const reached = Promise.withResolvers<undefined>();
  const opened = Promise.withResolvers<undefined>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(undefined),
    wait: () => {
      reached.resolve(undefined);
      return opened.promise;
    },
  };
}

describe('order', () => {
  test('work of a lane is done in the order in which it was added, one piece at a time', async () => {
    const one = process();
    let running = 0;
    let most = 0;
    writesWords(one, async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    });
    const wanted = Array.from({ length: 50 }, (_, n) => `word ${n}`);
    for (const each of wanted) await one.engine.add(word('a', each));
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(wanted);
    expect(most).toBe(1);
  });

  test('two processes work different lanes at once, and never one lane', async () => {
    const both = [process(), process()] as const;
    const held = new Map<string, number>();
    const doubled: string[] = [];
    for (const each of both)
      writesWords(each, async ({ lane }) => {
        const count = (held.get(lane) ?? 0) + 1;
        held.set(lane, count);
        if (count > 1) doubled.push(lane);
        await new Promise((resolve) => setImmediate(resolve));
        held.set(lane, count - 1);
      });
    await Promise.all(both.map(({ engine }) => engine.start()));
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      names.flatMap((lane) =>
        Array.from({ length: 30 }, (_, n) =>
          (n % 2 === 0 ? both[0] : both[1]).engine.add(word(lane, `${lane}${n % 2}`)),
        ),
      ),
    );
    await both[0].engine.settled();
    expect((await effects()).length).toBe(150);
    expect(doubled).toEqual([]);
  });

  test('what a transaction adds to several lanes is all there or not at all', async () => {
    const one = process();
    writesWords(one);
    const failing = one.engine.transaction(async (tx) => {
      tx.plan.add(word('a', 'x'), word('b', 'y'));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows()).toEqual([]);
  });

  test('effects, the end of the work and what it adds are one transaction', async () => {
    const one = process();
    one.engine.handle(WORD, {
      work: async ({ body, attempt }) => ({
        outcome: 'written',
        write: async (tx) => {
          await writeEffect(tx, body);
          tx.plan.add(word('b', `${body} again`, { delayMs: 60_000 }));
          if (attempt === 1) throw new RetryLater('not yet', { afterMs: 0 });
        },
      }),
    });
    await one.engine.add(word('a', 'x'));
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(['x']);
    expect((await rows()).map(({ body, attempts }) => [body, attempts])).toEqual([
      ['x', 2],
      ['x again', 0],
    ]);
  });
});

describe('keys', () => {
  test('work with a known event key is added once, also after it was done', async () => {
    const one = process();
    writesWords(one);
    const add = () => one.engine.add(word('a', 'x', { eventKey: 'e1' }));
    expect(await Promise.all([add(), add(), add()])).toEqual([true, false, false]);
    await one.engine.start();
    await one.engine.settled();
    expect(await add()).toBe(false);
    await one.engine.settled();
    expect(await effects()).toEqual(['x']);
  });

  test('work with a merge key is added once until it begins, at the earliest of its times', async () => {
    const one = process();
    const at = gate();
    writesWords(one, () => at.wait());
    await one.engine.add(word('a', 'first', { mergeKey: 'm', delayMs: 3_600_000 }));
    await one.engine.start();
    await one.engine.add(word('a', 'second', { mergeKey: 'm' }));
    await at.reached;
    // It has begun: what it read may be older than this.
    await one.engine.add(word('a', 'third', { mergeKey: 'm' }));
    at.open();
    await one.engine.settled();
    expect(await effects()).toEqual(['first', 'third']);
  });

  test('planned work waits for its time, and does not hold up other lanes', async () => {
    const one = process();
    writesWords(one);
    await one.engine.add(word('later', 'later', { delayMs: 3_600_000 }));
    await one.engine.add(word('now', 'now'));
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(['now']);
    await one.engine.dueNow();
    await one.engine.settled();
    expect(await effects()).toEqual(['now', 'later']);
  });

  test('what is made due while other work of its lane is under way is done after that', async () => {
    const one = process();
    const at = gate();
    writesWords(one, ({ body }) => (body === 'now' ? at.wait() : undefined));
    await one.engine.add(word('a', 'now'));
    await one.engine.add(word('a', 'later', { delayMs: 3_600_000 }));
    await one.engine.start();
    await at.reached;
    await one.engine.dueNow(WORD.class);
    at.open();
    await one.engine.settled();
    expect(await effects()).toEqual(['now', 'later']);
  });
});

describe('failures', () => {
  test('a retry holds its lane, so that nothing overtakes it, and no other lane', async () => {
    const one = process();
    writesWords(one, ({ body, attempt }) => {
      if (body === 'a1' && attempt === 1) throw new Error('not yet');
    });
    await one.engine.add(word('a', 'a1'));
    await one.engine.add(word('a', 'a2'));
    await one.engine.add(word('b', 'b1'));
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(['b1']);
    expect((await rows())[0]).toMatchObject({ attempts: 1, error: 'not yet' });
    await one.engine.dueNow();
    await one.engine.settled();
    expect(await effects()).toEqual(['b1', 'a1', 'a2']);
  });

  test('waiting for a turn is not counted as an attempt', async () => {
    const one = process();
    const attempts: number[] = [];
    writesWords(one, ({ attempt }) => {
      attempts.push(attempt);
      if (attempts.length < 3) throw new RetryLater('its turn', { afterMs: 0, countsAttempt: false });
    });
    await one.engine.add(word('a', 'x'));
    await one.engine.start();
    await one.engine.settled();
    expect(attempts).toEqual([1, 1, 1]);
  });

  test('a dead letter keeps its reason, and its lane goes on without what depends on it', async () => {
    const one = process();
    one.engine.handle(WORD, {
      work: async ({ body }) => {
        if (body === 'bad') throw new GiveUp('it was refused', { code: 'refused' });
        return { outcome: 'written', write: (tx) => writeEffect(tx, body) };
      },
      gaveUp: (body, reason) => (tx) => writeEffect(tx, `${body}: ${reason}`),
    });
    await one.engine.add(word('a', 'bad', { eventKey: 'bad' }));
    await one.engine.add(word('a', 'child', { eventKey: 'child', dependsOn: 'bad' }));
    await one.engine.add(word('a', 'grandchild', { dependsOn: 'child' }));
    await one.engine.add(word('a', 'good'));
    await one.engine.start();
    await one.engine.settled();
    // What comes later and depends on a dead letter is one at once.
    await one.engine.add(word('a', 'late child', { dependsOn: 'bad' }));
    await one.engine.settled();
    expect(await effects()).toEqual(['bad: it was refused', 'good']);
    expect((await one.engine.deadLetters()).map(({ body, reason, code }) => [body, reason, code])).toEqual([
      ['bad', 'it was refused', 'refused'],
      ['child', 'it depends on bad, which was given up', 'depends'],
      ['grandchild', 'it depends on child, which was given up', 'depends'],
      ['late child', 'it depends on bad, which was given up', 'depends'],
    ]);
  });

  test('a dead letter that is retried is done in its old place, with what was given up with it', async () => {
    const one = process();
    let isBroken = true;
    writesWords(one, ({ body }) => {
      if (isBroken && body === 'bad') throw new GiveUp('broken');
    });
    await one.engine.add(word('a', 'bad', { eventKey: 'bad' }));
    await one.engine.add(word('a', 'child', { dependsOn: 'bad' }));
    await one.engine.start();
    await one.engine.settled();
    isBroken = false;
    const [dead] = await one.engine.deadLetters();
    await one.engine.add(word('a', 'later', { delayMs: 60_000 }));
    expect(await one.engine.retryDeadLetters([dead?.id ?? 0])).toBe(2);
    await one.engine.settled();
    expect(await effects()).toEqual(['bad', 'child']);
  });

  test('a dead letter that is discarded is done with, and is still recognised when it comes again', async () => {
    const one = process();
    writesWords(one, () => {
      throw new GiveUp('broken');
    });
    await one.engine.add(word('a', 'bad', { eventKey: 'bad' }));
    await one.engine.start();
    await one.engine.settled();
    expect(await one.engine.discardDeadLetters('all')).toBe(1);
    expect(await one.engine.deadLetters()).toEqual([]);
    expect(await one.engine.add(word('a', 'bad', { eventKey: 'bad' }))).toBe(false);
    expect((await rows())[0]).toMatchObject({ outcome: 'discarded', body: null });
  });

  test('work with a body that its kind cannot read is a dead letter that says so', async () => {
    const one = process();
    writesWords(one);
    await one.engine.add(word('a', 'x'));
    await db().updateTable('work').set({ body: '{"not":"a word"}' }).execute();
    await one.engine.start();
    await one.engine.settled();
    expect((await one.engine.deadLetters())[0]?.reason).toMatch(/for word cannot be read/);
  });

  test('work of a kind that this version does not know is left to a newer process, for an hour', async () => {
    const newKind = { ...WORD, name: 'new' };
    const old = process();
    writesWords(old);
    await old.engine.start();
    await old.engine.add(newWork(newKind, 'a', 'x'));
    await old.engine.add(newWork(newKind, 'b', 'late'));
    await old.engine.settled();
    expect(await old.engine.deadLetters()).toEqual([]);
    expect(await rows()).toMatchObject([
      { attempts: 0, error: 'this version does no work of kind new' },
      { attempts: 0 },
    ]);
    await sql`update work set added_at = added_at - interval '1 hour' where lane = 'b'`.execute(db());
    await old.engine.dueNow();
    await old.engine.settled();
    expect((await old.engine.deadLetters()).map(({ body, reason }) => [body, reason])).toEqual([
      ['late', 'this version does no work of kind new'],
    ]);
    await old.engine.stop(0);
    const newer = process();
    newer.engine.handle(newKind, {
      work: async ({ body }) => ({ outcome: 'written', write: (tx) => writeEffect(tx, body) }),
    });
    await newer.engine.start();
    await newer.engine.dueNow();
    await newer.engine.settled();
    expect(await effects()).toEqual(['x']);
  });

  test('a handler is not asked what to write about work that its kind cannot read', async () => {
    const one = process();
    one.engine.handle(WORD, {
      work: async () => ({ outcome: 'done' }),
      gaveUp: (body) => {
        const loud = body.toUpperCase();
        return (tx) => writeEffect(tx, loud);
      },
    });
    await one.engine.add(word('a', 'x'));
    await db().updateTable('work').set({ body: '{"not":"a word"}' }).execute();
    await one.engine.start();
    await one.engine.settled();
    expect((await one.engine.deadLetters()).length).toBe(1);
    expect(await effects()).toEqual([]);
  });

  test('work that an erasure has emptied ends as erased', async () => {
    const one = process();
    writesWords(one);
    await one.engine.add(word('a', 'x'));
    await db().updateTable('work').set({ body: null }).execute();
    await one.engine.start();
    await one.engine.settled();
    expect((await rows())[0]?.outcome).toBe('erased');
    expect(await effects()).toEqual([]);
  });
});

describe('fences', () => {
  test('work that is worked again in the lane that takes over its own keeps its place', async () => {
    const one = process();
    one.engine.handle(WORD, {
      work: async ({ body, lane, isFirst }) =>
        body === '1' && lane === 'a'
          ? {
              outcome: 'again',
              again: true,
              write: async (tx) => tx.plan.move({ from: 'a', to: 'b', class: 'words' }),
            }
          : { outcome: 'written', write: (tx) => writeEffect(tx, `${body} ${lane} ${isFirst}`) },
    });
    await one.engine.add(word('a', '1'));
    await one.engine.add(word('a', '2'));
    await one.engine.start();
    await one.engine.settled();
    await one.engine.add(word('a', '3'));
    await one.engine.settled();
    expect(await effects()).toEqual(['1 b false', '2 b true', '3 b true']);
    expect((await rows()).map(({ outcome }) => outcome)).toEqual(['written', 'written', 'written']);
  });

  test('a process without handlers of a class leaves its lanes to others', async () => {
    const [without, having] = [process(), process()];
    without.engine.handle(SLOW, { work: async () => ({ outcome: 'done' }) });
    writesWords(having);
    await having.engine.add(word('a', 'x'));
    await without.engine.start();
    await without.engine.add(newWork(SLOW, 's', 'y'));
    await expect.poll(async () => (await rows()).map(({ outcome }) => outcome)).toContain('done');
    await having.engine.start();
    await having.engine.settled();
    expect(await effects()).toEqual(['x']);
    expect(await having.engine.deadLetters()).toEqual([]);
  });

  test('a process that lost its lane in the middle writes nothing more', async () => {
    const [slow, quick] = [process(), process()];
    const at = gate();
    writesWords(slow, () => at.wait());
    writesWords(quick);
    await slow.engine.add(word('a', 'x'));
    await slow.engine.start();
    await at.reached;
    await endLeases();
    await quick.engine.start();
    await quick.engine.settled();
    at.open();
    await slow.engine.stop();
    expect(await effects()).toEqual(['x']);
    expect((await rows()).map(({ attempts }) => attempts)).toEqual([2]);
  });

  test('the lanes of a process that was killed are free long before their leases end', async () => {
    const one = process();
    writesWords(one);
    await one.engine.add(word('a', 'x'));
    await sql`
      update lane set leased_by = 'killed', fence = nextval('lane_fence'),
        leased_until = clock_timestamp() + interval '1 hour'`.execute(db());
    await one.engine.start();
    await expect.poll(effects).toEqual(['x']);
  });

  test('a lane whose work ends while leases are renewed is free at once', async () => {
    const one = process({ leaseMs: 1_000 });
    const [renewal, long] = [gate(), gate()];
    one.faults.holds = (text) => (text.includes('update lane set leased_until') ? renewal.wait() : undefined);
    writesWords(one, ({ body }) => (body === 'long' ? long.wait() : renewal.reached));
    const leaseOf = async (key: string) => (await lanes()).find((lane) => lane.key === key)?.leased_until;
    await one.engine.add(word('a', 'short'));
    await one.engine.add(word('b', 'long'));
    await one.engine.start();
    await expect.poll(effects).toEqual(['short']);
    const before = Number(await leaseOf('b'));
    renewal.open();
    await expect.poll(async () => Number(await leaseOf('b'))).toBeGreaterThan(before);
    expect(await leaseOf('a')).toBeNull();
    long.open();
    await one.engine.settled();
  });

  test.each([
    ['must not begin its effect on another system', (work: Work<string, Tables>) => work.start()],
    [
      'cannot write before its work ends',
      (work: Work<string, Tables>) => work.write((tx) => writeEffect(tx, 'written')),
    ],
  ])('a process that lost its lane %s', async (_, act) => {
    const [slow, quick] = [process(), process()];
    const at = gate();
    const acted: string[] = [];
    for (const [name, { engine }] of [
      ['slow', slow],
      ['quick', quick],
    ] as const)
      engine.handle(WORD, {
        work: async (work) => {
          if (name === 'slow') await at.wait();
          await act(work);
          acted.push(name);
          return { outcome: 'done' };
        },
      });
    await slow.engine.add(word('a', 'x'));
    await slow.engine.start();
    await at.reached;
    await endLeases();
    await quick.engine.start();
    await quick.engine.settled();
    const written = await effects();
    at.open();
    await slow.engine.stop();
    expect(acted).toEqual(['quick']);
    expect(await effects()).toEqual(written);
  });

  test('an effect that had begun before its process was killed is known to have begun', async () => {
    const killed = process();
    const seen: boolean[] = [];
    killed.engine.handle(WORD, {
      work: async (work) => {
        await work.start((tx) => writeEffect(tx, 'begun'));
        killed.faults.kill();
        return { outcome: 'called' };
      },
    });
    await killed.engine.add(word('a', 'x'));
    await killed.engine.start();
    await killed.faults.killed;
    await endLeases();
    const next = process();
    next.engine.handle(WORD, {
      work: async (work) => {
        seen.push(work.startedAt !== undefined);
        return { outcome: 'found' };
      },
    });
    await next.engine.start();
    await next.engine.settled();
    expect(seen).toEqual([true]);
    expect(await effects()).toEqual(['begun']);
  });
});

describe('fairness', () => {
  test('a lane with much work lets others go first after twenty pieces', async () => {
    const one = process({ slots: { words: 1, slow: 1 } });
    writesWords(one);
    await one.engine.transaction(async (tx) => {
      for (let n = 0; n < 50; n++) tx.plan.add(word('many', `many ${n}`));
    });
    await one.engine.add(word('few', 'few'));
    await one.engine.start();
    await one.engine.settled();
    expect((await effects()).indexOf('few')).toBe(20);
  });

  test('work of a slow class takes no slots of another one', async () => {
    const one = process();
    const at = gate();
    writesWords(one);
    one.engine.handle(SLOW, {
      work: async ({ body }) => {
        await at.wait();
        return { outcome: 'done', write: (tx) => writeEffect(tx, body) };
      },
    });
    for (let n = 0; n < 5; n++) await one.engine.add(newWork(SLOW, `slow ${n}`, `slow ${n}`));
    await one.engine.start();
    await at.reached;
    await one.engine.add(word('a', 'quick'));
    await expect.poll(effects).toEqual(['quick']);
    at.open();
    await one.engine.settled();
    expect((await effects()).length).toBe(6);
  });
});

describe('locks', () => {
  test('work is numbered in the order of commits: it waits for the lane before it gets its number', async () => {
    const [first, second, works] = [process(), process(), process()];
    writesWords(works);
    const at = gate();
    // The lane is there, or the second process would wait for the first one to make it.
    await second.engine.add(word('a', 'w'));
    first.faults.holds = (text) => (text === 'commit' ? at.wait() : undefined);
    const adding = first.engine.add(word('a', 'x'));
    await at.reached;
    let isAdded = false;
    const behind = second.engine.add(word('a', 'y')).then(() => (isAdded = true));
    await expect.poll(async () => isAdded || (await waitingForLocks()) > 0).toBe(true);
    expect(isAdded).toBe(false);
    at.open();
    await Promise.all([adding, behind]);
    await works.engine.start();
    await works.engine.settled();
    expect(await effects()).toEqual(['w', 'x', 'y']);
  });

  test('transactions that touch the same lanes in any order never wait for each other in a circle', async () => {
    const both = [process({ poolSize: 8 }), process({ poolSize: 8 })] as const;
    const names = ['a', 'b', 'c', 'd'];
    for (const one of both) {
      writesWords(one);
      await one.engine.start();
    }
    const adding = Array.from({ length: 120 }, (_, n) => {
      // Each begins with another lane.
      const order = [...names.slice(n % 4), ...names.slice(0, n % 4)];
      return (n % 2 === 0 ? both[0] : both[1]).engine.transaction(async (tx) =>
        tx.plan.add(...order.map((lane) => word(lane, `${n}`))),
      );
    });
    await Promise.all(adding);
    await both[0].engine.settled();
    expect((await effects()).length).toBe(480);
    expect(both.map(({ faults }) => faults.deadlocks)).toEqual([0, 0]);
  });
});

describe('moving', () => {
  test('the work of a moved lane is done in the other one, in the order in which all was added', async () => {
    const one = process();
    writesWords(one);
    for (const [lane, body] of [
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
      ['b', '4'],
    ] as const)
      await one.engine.add(word(lane, body));
    await one.engine.transaction(async (tx) => tx.plan.move({ from: 'a', to: 'b', class: 'words' }));
    await one.engine.add(word('a', '5'));
    expect((await rows()).map(({ lane }) => lane)).toEqual(['b', 'b', 'b', 'b', 'b']);
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('a process in the middle of a moved lane writes nothing more; what it had not ended is done in the other', async () => {
    const one = process();
    const at = gate();
    const done: string[] = [];
    writesWords(one, async ({ lane, attempt }) => {
      if (attempt === 1) await at.wait();
      done.push(lane);
    });
    await one.engine.add(word('a', 'x'));
    await one.engine.start();
    await at.reached;
    await one.engine.transaction(async (tx) => tx.plan.move({ from: 'a', to: 'b', class: 'words' }));
    at.open();
    await one.engine.settled();
    expect(await effects()).toEqual(['x']);
    expect(new Set(done)).toEqual(new Set(['a', 'b']));
  });

  test('work that moves its own lane ends in that transaction', async () => {
    const one = process();
    one.engine.handle(WORD, {
      work: async ({ body }) => ({
        outcome: 'written',
        write: async (tx) => {
          await writeEffect(tx, body);
          if (body === '1') tx.plan.move({ from: 'a', to: 'b', class: 'words' });
        },
      }),
    });
    await one.engine.add(word('a', '1'));
    await one.engine.add(word('a', '2'));
    await one.engine.start();
    await one.engine.settled();
    expect(await effects()).toEqual(['1', '2']);
    expect((await lanes()).map(({ key, moved_to }) => [key, moved_to])).toEqual([
      ['a', 'b'],
      ['b', null],
    ]);
  });

  test('a lane moved onto itself by a detour stays as it is', async () => {
    const one = process();
    writesWords(one);
    const move = (from: string, to: string) =>
      one.engine.transaction(async (tx) => tx.plan.move({ from, to, class: 'words' }));
    await move('a', 'b');
    await move('b', 'c');
    await move('c', 'a');
    await one.engine.add(word('a', 'x'));
    expect((await rows()).map(({ lane }) => lane)).toEqual(['c']);
  });
});

describe('claiming with what makes a lane due', () => {
  /** A process that has nothing to do, and how often it has looked for due lanes since. */
  async function idle(options: Parameters<typeof process>[0] = {}) {
    const one = process(options);
    const begun: { body: string; attempt: number }[] = [];
    const at = gate();
    let isHeld = false;
    writesWords(one, async ({ body, attempt }) => {
      begun.push({ body, attempt });
      if (isHeld) await at.wait();
    });
    await one.engine.start();
    await one.engine.settled();
    let looks = 0;
    one.faults.holds = (text) => {
      if (text.includes('skip locked')) looks += 1;
      return undefined;
    };
    return { ...one, begun, at, hold: () => (isHeld = true), looks: () => looks };
  }

  test('a process works what it adds at once, without looking for it', async () => {
    const one = await idle();
    await one.engine.add(word('a', 'x'));
    await one.engine.transaction(async (tx) => tx.plan.add(word('b', 'y'), word('c', 'z')));
    await one.engine.settled();
    expect((await effects()).toSorted()).toEqual(['x', 'y', 'z']);
    expect(one.looks()).toBe(0);
  });

  test('what does not fit into its slots is done by another process, at once', async () => {
    const one = await idle({ slots: { words: 1, slow: 1 } });
    const other = await idle();
    one.hold();
    await one.engine.transaction(async (tx) => tx.plan.add(word('a', 'x'), word('b', 'y')));
    await one.at.reached;
    await expect.poll(effects).toHaveLength(1);
    one.at.open();
    await one.engine.settled();
    expect([one, other].map(({ begun }) => begun.length)).toEqual([1, 1]);
  });

  test('a transaction that fails leaves its slots to others', async () => {
    const one = await idle({ slots: { words: 1, slow: 1 } });
    one.faults.holds = (text) => (text === 'commit' ? Promise.reject(new Error('cut')) : undefined);
    await expect(one.engine.add(word('a', 'x'))).rejects.toThrow();
    one.faults.holds = () => undefined;
    await one.engine.add(word('b', 'y'));
    await one.engine.settled();
    expect(await effects()).toEqual(['y']);
  });

  test('what was claimed with a commit whose answer is lost is done at once', async () => {
    // Time stands still: nothing but the failure makes it look.
    const timers = { elapsed: () => 0, after: () => ({ cancel: () => undefined }) };
    const one = await idle({ timers });
    let isLost = false;
    one.faults.holdsAnswer = (text) => {
      if (text !== 'commit' || isLost) return undefined;
      isLost = true;
      return Promise.reject(new Error('the connection was cut'));
    };
    await expect(one.engine.add(word('a', 'x'))).rejects.toThrow();
    await expect.poll(effects).toEqual(['x']);
  });

  test('a lane that was claimed with a commit is not claimed again before its process knows of it', async () => {
    const one = await idle();
    const committed = gate();
    let isFirst = true;
    const looked = gate();
    one.faults.holdsAnswer = (text) => {
      if (text.includes('skip locked')) void looked.wait();
      const isHeld = text === 'commit' && isFirst;
      if (isHeld) isFirst = false;
      return isHeld ? committed.wait() : undefined;
    };
    const adding = one.engine.add(word('a', 'x'));
    await committed.reached;
    await one.engine.dueNow('words');
    await looked.reached;
    committed.open();
    await adding;
    await one.engine.settled();
    expect(one.begun).toEqual([{ body: 'x', attempt: 1 }]);
  });

  test('what was claimed with a commit when a stop came ends with the stop, and keeps no lease', async () => {
    const one = await idle();
    const committed = gate();
    one.faults.holdsAnswer = (text) => (text === 'commit' ? committed.wait() : undefined);
    const adding = one.engine.add(word('a', 'x'));
    await committed.reached;
    const stopped = one.engine.stop();
    committed.open();
    await Promise.all([adding, stopped]);
    expect(await effects()).toEqual(['x']);
    expect((await lanes())[0]).toMatchObject({ leased_by: null });
  });
});

describe('waking', () => {
  test('work that becomes due while a process asks what is due next is begun then, not at its look five seconds later', async () => {
    // The look never comes.
    const timers: Timers = {
      ...systemTimers,
      after: (ms, run) => (ms < 5_000 ? systemTimers.after(ms, run) : { cancel: () => undefined }),
    };
    const one = process({ timers });
    const isDue = async () => {
      const { rows } = await sql<{
        due: boolean;
      }>`select wake_at <= clock_timestamp() as due from lane`.execute(db());
      return rows.some(({ due }) => due);
    };
    let asked = 0;
    // It was not due yet when the process claimed what was, and is when it asks for the next.
    one.faults.holds = async (text) => {
      if (!text.includes('(extract(epoch from wake_at')) return;
      asked += 1;
      if (asked === 1) await until('the work to be due', isDue);
    };
    const begun = Promise.withResolvers<undefined>();
    writesWords(one, () => begun.resolve(undefined));
    await one.engine.add(word('a', 'x', { delayMs: 300 }));
    await one.engine.start();
    await begun.promise;
    expect(asked).toBeGreaterThan(0);
  });

  test('a process hears of work that another one adds, without looking for it', async () => {
    // Time stands still: nothing but a notification wakes it.
    const timers = { elapsed: () => 0, after: () => ({ cancel: () => undefined }) };
    const [adds, works] = [process(), process({ timers })];
    writesWords(works);
    await works.engine.start();
    await adds.engine.add(word('a', 'x'));
    await expect.poll(effects).toEqual(['x']);
    await adds.engine.transaction(async (tx) => tx.plan.add(word('a', 'y'), word('b', 'z')));
    await expect.poll(effects).toHaveLength(3);
  });

  test('a connection that does not answer is given up, and the process listens on another one', async () => {
    const one = process();
    writesWords(one);
    await one.engine.start();
    await expect.poll(listeners).toHaveLength(1);
    const [silent] = await listeners();
    // The look for dead processes reads this table: it waits, as on a connection that is dead without a word.
    await db()
      .transaction()
      .execute(async (tx) => {
        await sql`lock table lane in access exclusive mode`.execute(tx);
        await expect
          .poll(async () => (await listeners()).some((pid) => pid !== silent), { timeout: 60_000 })
          .toBe(true);
      });
    await one.engine.add(word('a', 'x'));
    await one.engine.settled();
    expect(await effects()).toEqual(['x']);
  });

  test('work that is added while a lane is being worked is never forgotten', async () => {
    const one = process();
    writesWords(one);
    await one.engine.start();
    const adding = Array.from({ length: 200 }, (_, n) => one.engine.add(word(`lane ${n % 3}`, `${n}`)));
    await Promise.all(adding);
    await one.engine.settled();
    expect((await effects()).length).toBe(200);
    expect((await lanes()).every(({ wake_at, leased_by }) => wake_at === null && leased_by === null)).toBe(
      true,
    );
  });
});

describe('stopping', () => {
  test('a stop lets work end, and claims no more', async () => {
    const one = process({ slots: { words: 1, slow: 1 } });
    const at = gate();
    writesWords(one, () => at.wait());
    await one.engine.add(word('a', 'x'));
    await one.engine.add(word('a', 'y'));
    await one.engine.start();
    await at.reached;
    const stopped = one.engine.stop();
    at.open();
    await stopped;
    expect(await effects()).toEqual(['x']);
    expect((await lanes())[0]).toMatchObject({ leased_by: null });
  });

  test('what was being claimed when a stop came ends with the stop, and keeps no lease', async () => {
    const one = process();
    const at = gate();
    writesWords(one);
    await one.engine.add(word('a', 'x'));
    // The claim is made, and the stop comes before the process knows of it.
    let isClaiming = false;
    one.faults.holds = (text) => {
      isClaiming ||= text.includes('lane_fence');
      return isClaiming && text === 'commit' ? at.wait() : undefined;
    };
    void one.engine.start();
    await at.reached;
    const stopped = one.engine.stop();
    at.open();
    await stopped;
    expect((await lanes())[0]).toMatchObject({ leased_by: null, wake_at: null });
    expect(await effects()).toEqual(['x']);
  });

  test('what does not end within the grace is left to another process at once', async () => {
    const one = process();
    const at = gate();
    writesWords(one, () => at.wait());
    await one.engine.add(word('a', 'x'));
    await one.engine.start();
    await at.reached;
    await one.engine.stop(0);
    const next = process();
    writesWords(next);
    await next.engine.start();
    await next.engine.settled();
    at.open();
    expect(await effects()).toEqual(['x']);
  });
});

describe('upkeep', () => {
  test('done work is forgotten after its time, with lanes that have none; other work stays', async () => {
    const one = process();
    writesWords(one, ({ body }) => {
      if (body === 'bad') throw new GiveUp('broken');
    });
    await one.engine.add(word('a', 'done'));
    await one.engine.add(word('b', 'bad'));
    await one.engine.add(word('c', 'planned', { delayMs: 60_000 }));
    await one.engine.start();
    await one.engine.settled();
    expect(await one.engine.forget(new Date(Date.now() - 60_000))).toBe(0);
    expect(await one.engine.forget(new Date(Date.now() + 60_000))).toBe(1);
    expect((await lanes()).map(({ key }) => key)).toEqual(['b', 'c']);
    expect((await rows()).map(({ body }) => body)).toEqual(['bad', 'planned']);
  });

  test('the figures of each class', async () => {
    const one = process();
    writesWords(one, ({ body }) => {
      if (body === 'bad') throw new GiveUp('broken');
    });
    await one.engine.add(word('a', 'bad'));
    await one.engine.add(word('c', 'planned', { delayMs: 60_000 }));
    await one.engine.start();
    await one.engine.settled();
    expect(await one.engine.figures()).toEqual([
      { class: 'slow', undone: 0, running: 0, oldestSeconds: 0, dead: 0 },
      { class: 'words', undone: 1, running: 0, oldestSeconds: expect.any(Number) as number, dead: 1 },
    ]);
  });
});
