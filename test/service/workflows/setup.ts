import { sql } from 'kysely';
import { expect } from 'vitest';

import type { Workflow, WorkflowRun, WorkflowRunDetail } from '../../../src/contract/index.ts';
import { contentOf, type WorkflowOutline } from '../../../src/service/workflow-config/outline.ts';
import { until } from '../../harness/until.ts';
import { MovableClock } from '../clock.ts';
import { type Body, type Running, startTestService } from '../harness.ts';
import { workNow } from '../work.ts';
import { openTables } from '../world.ts';

type Parts = Pick<WorkflowOutline, 'steps' | 'leads'>;

/** A service whose clock the test moves, with workflows. */
export async function setUp(options: Pick<Parameters<typeof startTestService>[0] & object, 'begins'> = {}) {
  const clock = new MovableClock();
  const service = await startTestService({ clock, ...options });
  const tables = openTables(service);

  /** Resolves when nothing of workflows is due. */
  const settled = () => settledIn(service);

  return {
    clock,
    service,
    tables,
    settled,
    send: sender(service),
    activate: (outline: Parts, more: object = {}) => activate(service, outline, more),
    /** The runs, the first one first. */
    runs: (query = '') => runs(service, query),
    /** Lets a time pass; waits that end then end. */
    pass: async (ms: number) => {
      await settled();
      clock.pass(ms);
      await workNow(tables, 'workflow-timer');
      await settled();
    },
  };
}

type Send = (method: string, path: string, body?: object, token?: string) => Promise<Body>;

/** Returns a function that calls the API and expects 200. */
export function sender({ call }: Pick<Running, 'call'>): Send {
  return async (method, path, body, token) => {
    const answer = await call(method, path, { body, ...(token !== undefined && { token }) });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body;
  };
}

/** Makes a workflow and activates it; returns its id. */
export async function activate(
  service: Pick<Running, 'call'>,
  outline: Parts,
  more: object = {},
): Promise<string> {
  const send = sender(service);
  const { id } = await send('POST', '/workflows', { name: 'Flow', ...contentOf(outline), ...more });
  await send('PUT', `/workflows/${id}`, { name: 'Flow', state: 'Active' });
  return id;
}

export async function readWorkflow(service: Pick<Running, 'call'>, id: string): Promise<Workflow> {
  return (await sender(service)('GET', `/workflows/${id}`)) as unknown as Workflow;
}

export async function runs({ call }: Pick<Running, 'call'>, query = ''): Promise<WorkflowRun[]> {
  const { body } = await call('GET', `/workflow-runs?sortDirection=asc&${query}`);
  return body.items as unknown as WorkflowRun[];
}

/** The only run, with its steps. */
export async function onlyRun(service: Pick<Running, 'call'>, query = ''): Promise<WorkflowRunDetail> {
  const [run, ...others] = await runs(service, query);
  expect(others).toEqual([]);
  return readRun(service, run?.id ?? '');
}

export async function readRun(service: Pick<Running, 'call'>, id: string): Promise<WorkflowRunDetail> {
  return (await sender(service)('GET', `/workflow-runs/${id}`)) as unknown as WorkflowRunDetail;
}

/** The steps of a run and their states, in the order in which they began. */
export const states = ({ steps }: WorkflowRunDetail) =>
  Object.fromEntries(steps.map(({ stepId, state }) => [stepId, state]));

export async function messagesOf({ call }: Pick<Running, 'call'>, ticketId: string): Promise<string[]> {
  const { items } = (await call('GET', `/ticket-messages?ticketId=${ticketId}`)).body;
  return items.map(({ content }) => content);
}

/** Resolves when no work of classes with this beginning is due. */
export async function settledIn(
  running: Pick<Running, 'databaseUrl' | 'sharedTables'>,
  classes = 'workflow-',
): Promise<void> {
  const { db } = openTables(running);
  await until('workflows to rest', async () => {
    // `now()` is earlier than what this statement sees: work that was added in between would not count as due.
    const { rows } = await sql`
      select from work join lane on lane.key = work.lane
      where lane.class like ${`${classes}%`} and done_at is null and dead_at is null and not_before <= clock_timestamp()`.execute(
      db,
    );
    return rows.length === 0;
  });
}
