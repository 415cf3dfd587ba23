/**
 * What workflows cost: `node bench/workflows.ts`. Two services with a Postgres each, one with workflows and one with
 * none, are measured side by side: a change beside many active workflows, rest beside many waiting runs, and the time
 * from a trigger to its first effect. BENCH_SHORT=1 shows in two minutes that the rig works; its figures say little.
 */
import { freePorts } from '../test/harness/ports.ts';
import { KEY, TOKEN, UNLIMITED } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { inTurn, must, soon } from './lib/load.ts';
import { type Postgres, startPostgres } from './lib/postgres.ts';
import { type Program, startDeskbridge } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const IS_SHORT = process.env['BENCH_SHORT'] === '1';
const ACTIVE = IS_SHORT ? 50 : 1_000;
const WAITING = IS_SHORT ? 200 : 10_000;
const REST_MS = IS_SHORT ? 5_000 : 300_000;
const CHANGES = IS_SHORT ? 20 : 300;
const AT_ONCE = 8;
const WEEK_MINUTES = 7 * 24 * 60;

export const workflows: Rig = { title: 'Workflows', minutes: 45, measure };

interface Side {
  base: string;
  postgres: Postgres;
  service: Program;
  ticketId: string;
}

async function measure(rounds: number): Promise<Figure[]> {
  const none = await startSide();
  const ours = await startSide();
  await activateIdle(ours);
  await startWaiting(ours);
  const content = 'Seen by a workflow';
  await activate(ours, { action: 'ticket.created', inputs: { priority: 'URGENT' } }, [
    { action: 'message.note', inputs: { content } },
  ]);

  const change: { ours: number[]; none: number[] } = { ours: [], none: [] };
  const rest: { ours: number[]; none: number[] } = { ours: [], none: [] };
  const effect: { ours: number[]; request: number[] } = { ours: [], request: [] };
  for (let round = 0; round < rounds; round++) {
    tellRound(workflows.title, round, rounds);
    change.none.push(await msOfChange(none));
    change.ours.push(await msOfChange(ours));
    const [without, beside] = await Promise.all([shareAtRest(none), shareAtRest(ours)]);
    rest.none.push(without);
    rest.ours.push(beside);
    const { request, effect: ms } = await msToEffect(ours, content);
    effect.request.push(request);
    effect.ours.push(ms);
  }
  const added = (each: { ours: number[]; none: number[] }) =>
    each.ours.map((value, round) => value - (each.none[round] ?? 0));
  return [
    {
      name: `what ${ACTIVE} active workflows add to a change of a ticket`,
      unit: 'ms',
      ours: added(change),
      baseline: { name: 'the change beside none', values: change.none },
      goal: { under: 10 },
    },
    {
      name: `what ${WAITING} waiting runs add at rest, of one processor`,
      unit: '%',
      ours: added(rest),
      baseline: { name: 'the service and its Postgres beside none', values: rest.none },
      goal: { under: 1 },
      note: `At rest for ${REST_MS / 1000} s in each round, both services at the same time.`,
    },
    {
      name: 'from a trigger to its first effect, median',
      unit: 'ms',
      ours: effect.ours,
      baseline: { name: 'the request that triggers it', values: effect.request },
      goal: { under: 500 },
    },
  ];
}

async function startSide(): Promise<Side> {
  const postgres = await startPostgres();
  const [port = 0] = await freePorts(1);
  const service = await startDeskbridge(['service', '--demo'], {
    DATABASE_URL: await postgres.database('workflows'),
    PORT: String(port),
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
  });
  const base = `http://127.0.0.1:${port}/api`;
  const { id } = (await must('POST', `${base}/tickets`, { title: 'Measured' }, KEY)) as { id: string };
  return { base, postgres, service, ticketId: id };
}

interface Step {
  action: string;
  inputs: object;
}

/** Makes and activates a workflow of steps in their order; returns its id. */
async function activate(
  { base }: Pick<Side, 'base'>,
  trigger: Step,
  steps: readonly Step[],
): Promise<string> {
  const name = 'Measured';
  const all = [trigger, ...steps].map((step) => ({ ...step, title: step.action }));
  const { id } = (await must('POST', `${base}/workflows`, { name, steps: all, connections: [] }, KEY)) as {
    id: string;
  };
  await must('PUT', `${base}/workflows/${id}`, { name, state: 'Active' }, KEY);
  return id;
}

/** Workflows that look at each change of a ticket, and have nothing to do. */
async function activateIdle(side: Side): Promise<void> {
  await inTurn(Array.from({ length: ACTIVE }), AT_ONCE, () =>
    activate(side, { action: 'ticket.updated', inputs: { priority: 'URGENT' } }, [
      { action: 'message.note', inputs: { content: 'Urgent' } },
    ]),
  );
}

async function startWaiting(side: Side): Promise<void> {
  const id = await activate(side, { action: 'ticket.run', inputs: {} }, [
    { action: 'wait.for', inputs: { minutes: WEEK_MINUTES } },
  ]);
  await inTurn(Array.from({ length: WAITING }), AT_ONCE, () =>
    must('POST', `${side.base}/workflows/${id}/run`, { ticketId: side.ticketId }, KEY),
  );
  await soon('every run to wait', async () => {
    const query = `workflowId=${id}&state=waiting&limit=1`;
    const { totalCount } = (await must('GET', `${side.base}/workflow-runs?${query}`, undefined, KEY)) as {
      totalCount: number;
    };
    return totalCount === WAITING || undefined;
  });
}

/** The median of a change of the title. */
async function msOfChange({ base, ticketId }: Side): Promise<number> {
  const titles = Array.from({ length: CHANGES }, (_, at) => `Title ${at}`);
  const times = await inTurn(titles, 1, (title) =>
    must('PUT', `${base}/tickets/${ticketId}`, { data: { title } }, KEY),
  );
  return percentile(times, 0.5);
}

/** The percentage of one processor that a service and its Postgres use while nothing happens. */
async function shareAtRest({ service, postgres }: Side): Promise<number> {
  const used = () => service.cpu() + postgres.cpu();
  const before = used();
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  return ((used() - before) / (REST_MS / 1000)) * 100;
}

/** The medians of a request that opens a ticket, and of the time until the workflow has written its note there. */
async function msToEffect({ base }: Side, content: string): Promise<{ request: number; effect: number }> {
  const requests: number[] = [];
  const effects: number[] = [];
  for (let at = 0; at < CHANGES / 10; at++) {
    const began = performance.now();
    const { id } = (await must('POST', `${base}/tickets`, { title: 'Now', priority: 'URGENT' }, KEY)) as {
      id: string;
    };
    requests.push(performance.now() - began);
    await soon('the note', async () => {
      const { items } = (await must('GET', `${base}/ticket-messages?ticketId=${id}`, undefined, KEY)) as {
        items: { content: string }[];
      };
      return items.some((each) => each.content === content) || undefined;
    });
    effects.push(performance.now() - began);
  }
  return { request: percentile(requests, 0.5), effect: percentile(effects, 0.5) };
}

if (import.meta.main) await runAlone(workflows);
