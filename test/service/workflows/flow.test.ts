import { describe, expect, it } from 'vitest';

import type { Criteria } from '../../../src/service/workflow-config/criteria.ts';
import {
  type Ending,
  type Flow,
  flowOf,
  nextSteps,
  stateOf,
  type StepRecord,
  takenFrom,
} from '../../../src/service/workflow-config/flow.ts';
import { contentOf, otherwise, type WorkflowOutline } from '../../../src/service/workflow-config/outline.ts';
import { Chance } from '../../simulation/chance.ts';

/** A flow of steps that begin with `t` if they are triggers, with `c` if they branch. */
function flow(...leads: WorkflowOutline['leads']): Flow {
  const ids = new Set(leads.flatMap(([from, to]) => [from, to]));
  const actionOf = (id: string) =>
    id.startsWith('t') ? 'ticket.created' : id.startsWith('c') ? 'condition.if' : 'message.note';
  return flowOf(
    contentOf({ steps: Object.fromEntries([...ids].map((id) => [id, [id, actionOf(id)]])), leads }),
  );
}

const fits: Criteria = { filterGroups: [[{ field: 'priority', condition: 'equals', value: 'LOW' }]] };
const failed: Criteria = { failed: true };
const DONE: Ending = { kind: 'done', outputs: {} };

/** Runs a flow from its trigger; returns the steps in the order in which they began. */
function walk(
  of: Flow,
  {
    endings = {},
    holds = true,
    trigger = 't',
  }: { endings?: Record<string, Ending>; holds?: boolean; trigger?: string } = {},
) {
  const records = new Map<string, StepRecord>();
  const end = (id: string) => {
    const ending = endings[id] ?? DONE;
    records.set(id, { state: ending.kind, taken: takenFrom(of, id, ending, () => holds) });
  };
  const begun: string[] = [];
  end(trigger);
  for (;;) {
    const { begin, unreached } = nextSteps(of, records);
    for (const id of unreached) records.set(id, { state: 'unreached', taken: [] });
    if (begin.length === 0) return { begun, state: stateOf(records.values()), records };
    begun.push(...begin);
    for (const id of begin) end(id);
  }
}

describe('the steps of a run', () => {
  it('begin in the order of the connections', () => {
    expect(walk(flow(['t', 'a'], ['a', 'b'], ['b', 'd']))).toMatchObject({
      begun: ['a', 'b', 'd'],
      state: 'finished',
    });
  });

  it('begin in the order of the array without connections, whichever trigger started them', () => {
    const step = (id: string, action: string) => ({
      id,
      title: id,
      description: null,
      action,
      inputs: {},
      metadata: null,
    });
    const steps = [
      step('t', 'ticket.created'),
      step('a', 'message.note'),
      step('t2', 'ticket.run'),
      step('b', 'message.note'),
    ];
    const of = flowOf({ steps, connections: [] });
    expect(walk(of).begun).toEqual(['a', 'b']);
    expect(walk(of, { trigger: 't2' }).begun).toEqual(['a', 'b']);
  });

  it('go one way where criteria hold, and otherwise another', () => {
    const of = flow(['t', 'a', fits], ['t', 'b', otherwise], ['t', 'd']);
    expect(walk(of).begun).toEqual(['a', 'd']);
    expect(walk(of, { holds: false }).begun).toEqual(['b', 'd']);
  });

  it('branch on the result of a condition', () => {
    const of = flow(['t', 'c'], ['c', 'a'], ['c', 'b', otherwise]);
    const result = (value: boolean): Ending => ({ kind: 'done', outputs: { result: value } });
    expect(walk(of, { endings: { c: result(true) } }).begun).toEqual(['c', 'a']);
    expect(walk(of, { endings: { c: result(false) } }).begun).toEqual(['c', 'b']);
    const onlyOtherwise = flow(['t', 'c'], ['c', 'b', otherwise]);
    expect(walk(onlyOtherwise, { endings: { c: result(true) } }).begun).toEqual(['c']);
    expect(walk(onlyOtherwise, { endings: { c: result(false) } }).begun).toEqual(['c', 'b']);
  });

  it('that join wait for every way that is taken, and for no other', () => {
    const of = flow(['t', 'a'], ['t', 'b', fits], ['a', 'd'], ['b', 'd']);
    const afterTrigger = new Map<string, StepRecord>([
      ['t', { state: 'done', taken: takenFrom(of, 't', DONE, () => true) }],
      ['a', { state: 'done', taken: ['a-d'] }],
      ['b', { state: 'pending', taken: [] }],
    ]);
    expect(nextSteps(of, afterTrigger)).toEqual({ begin: [], unreached: [] });
    expect(walk(of).begun).toEqual(['a', 'b', 'd']);
    expect(walk(of, { holds: false })).toMatchObject({ begun: ['a', 'd'], state: 'finished' });
  });

  it('are out of reach behind what is out of reach', () => {
    const of = flow(['t', 'a', fits], ['a', 'b'], ['b', 'd']);
    const { begun, state, records } = walk(of, { holds: false });
    expect([begun, state]).toEqual([[], 'finished']);
    expect([...records.values()].filter((each) => each.state === 'unreached')).toHaveLength(3);
  });

  it('that fail wait for a person, unless a connection leads on from there', () => {
    const plain = flow(['t', 'a'], ['a', 'b']);
    expect(walk(plain, { endings: { a: { kind: 'failed' } } })).toMatchObject({
      begun: ['a'],
      state: 'failed',
    });
    expect(walk(plain, { endings: { a: { kind: 'skipped' } } })).toMatchObject({
      begun: ['a', 'b'],
      state: 'finished',
    });
    const handled = flow(['t', 'a'], ['a', 'b'], ['a', 'd', failed]);
    expect(walk(handled, { endings: { a: { kind: 'failed' } } })).toMatchObject({
      begun: ['a', 'd'],
      state: 'finished',
    });
    expect(walk(handled).begun).toEqual(['a', 'b']);
  });

  it('begin at most once, and every run ends, in random flows with random ends', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const chance = new Chance(seed);
      const count = 2 + chance.below(8);
      const ids = Array.from({ length: count }, (_, at) =>
        at === 0 ? 't' : `${chance.below(3) === 0 ? 'c' : 's'}${at}`,
      );
      const kinds: Criteria[] = [null, fits, otherwise, failed];
      const leads = ids.slice(1).flatMap((to, at) =>
        ids
          .slice(0, at + 1)
          .filter((_, from) => from === at || chance.below(3) === 0)
          .map((from) => [from, to, kinds[chance.below(kinds.length)] ?? null] as const),
      );
      const ends: Ending[] = [
        { kind: 'done', outputs: { result: true } },
        { kind: 'done', outputs: { result: false } },
        { kind: 'failed' },
        { kind: 'skipped' },
      ];
      const endings = Object.fromEntries(
        ids.slice(1).map((id) => [id, ends[chance.below(ends.length)] ?? DONE]),
      );
      const { begun, state, records } = walk(flow(...leads), { endings, holds: chance.below(2) === 0 });
      expect([seed, new Set(begun).size]).toEqual([seed, begun.length]);
      expect([seed, ['finished', 'failed']]).toEqual([seed, expect.arrayContaining([state])]);
      if (state === 'finished') expect([seed, records.size]).toEqual([seed, count]);
    }
  });
});
