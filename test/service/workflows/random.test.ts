import { expect, it } from 'vitest';

import { LONGEST_CHAIN } from '../../../src/service/workflow-config/kinds.ts';
import { otherwise, type WorkflowOutline } from '../../../src/service/workflow-config/outline.ts';
import { Chance } from '../../simulation/chance.ts';
import { create, put, statuses } from '../tickets/requests.ts';
import { setUp } from './setup.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'] as const;
const GROUPS = ['OPEN', 'IN_PROGRESS', 'PENDING'] as const;

type Step = WorkflowOutline['steps'][string];

/** A workflow that reacts to anything, also to itself, and changes what others react to. */
function anyWorkflow(chance: Chance): Pick<WorkflowOutline, 'steps' | 'leads'> {
  const own = { ownChanges: chance.happens(0.5) };
  const trigger = chance.oneOf<Step>([
    ['Opened', 'ticket.created', own],
    ['Changed', 'ticket.updated', own],
    ['Priority', 'ticket.updated', { ...own, priority: chance.oneOf(PRIORITIES) }],
    ['Status', 'ticket.updated', { ...own, statusGroup: chance.oneOf(GROUPS) }],
  ]);
  const anyStep = (): Step =>
    chance.oneOf<Step>([
      ['Priority', 'ticket.set-priority', { priority: chance.oneOf(PRIORITIES) }],
      ['Status', 'ticket.set-status', { statusGroup: chance.oneOf(GROUPS) }],
      ['Title', 'ticket.update', { data: { title: `Title ${chance.below(3)}` } }],
      ['Reply', 'message.reply', { content: 'A reply' }],
      ['Child', 'ticket.create', { title: 'A child', parentId: '{{ticket.id}}' }],
      ['Assign', 'ticket.assign', { assigneeId: '{{ticket.assigneeId}}' }],
      ['If', 'condition.if', { value: '{{ticket.priority}}', condition: 'equals', expected: 'LOW' }],
    ]);
  const count = 1 + chance.below(3);
  const steps = Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, anyStep()]));
  return {
    steps: { t: trigger, ...steps },
    leads: Array.from({ length: count }, (_, at) => [
      at === 0 || chance.happens(0.3) ? 't' : `s${at - 1}`,
      `s${at}`,
      at > 0 && chance.happens(0.2) ? otherwise : null,
    ]),
  };
}

it.each([1, 2, 3, 4, 5, 6])(
  'random workflows that react to one another come to rest, and do each step once (seed %i)',
  async (seed) => {
    const chance = new Chance(seed);
    const { service, activate, settled, tables } = await setUp();
    for (let at = 0; at < 4; at++) await activate(anyWorkflow(chance));
    const byLabel = await statuses(service);
    const { id } = await create(service, { priority: chance.oneOf(PRIORITIES) });
    for (let at = 0; at < 3; at++)
      await put(
        service,
        id,
        chance.oneOf<Record<string, unknown>>([
          { title: `Title ${at}` },
          { priority: chance.oneOf(PRIORITIES) },
          { statusId: byLabel[chance.oneOf(['Open', 'In Progress', 'Waiting'])] },
        ]),
      );
    await settled();

    const runs = await tables.db.selectFrom('workflow_run').selectAll().execute();
    const refused = runs.filter(({ state }) => state === 'stopped');
    const started = runs.filter((run) => !refused.includes(run));
    for (const { chain } of started) expect(chain.length).toBeLessThanOrEqual(LONGEST_CHAIN);
    for (const { chain } of refused) expect(chain).toHaveLength(LONGEST_CHAIN + 1);
    expect(started.filter(({ state }) => !['finished', 'failed'].includes(state))).toEqual([]);
    const replies = await tables.db.selectFrom('ticket_message').select('id').execute();
    const done = await tables.db
      .selectFrom('workflow_run_step')
      .select('outputs')
      .where('state', '=', 'done')
      .execute();
    // Each effect is of one step, and no step has two.
    const made = done.flatMap(({ outputs }) => outputs?.['messageId'] ?? []);
    expect(made.toSorted()).toEqual(replies.map((each) => each.id).toSorted());
  },
);
