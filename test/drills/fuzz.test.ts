import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';

import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';

import { errorEnvelope, type Route, routes, webhookEvent } from '../../src/contract/index.ts';
import type { Database } from '../../src/platform/database/open.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { LONG, SEED } from './drill.ts';
import { anyRequest, type Request } from './harness/fuzz-requests.ts';
import { startTestService } from '../service/harness.ts';
import { createWorld, openTables } from '../service/world.ts';

const REQUESTS_OF_A_LONG_RUN = 50_000;
const AT_ONCE = 6;
const SUITE_MS = 15_000;
/** Only ends what hangs. */
const ANSWER_WITHIN_MS = 120_000;

/** Internals of the service: stack frames, statements, paths, database URLs. */
const INSIDE =
  /\n\s+at |\.ts:\d+|node_modules|node:internal|\bselect\b.+\bfrom\b|insert into|duplicate key|violates|syntax error|postgres(ql)?:\/\/|\/(home|work|tmp|usr|var)\/|ECONN|kysely|zod/i;

interface Seen {
  status: number;
  body: string;
}

it('half of a surrogate pair, as in a text cut inside an emoji, is stored as U+FFFD, also inside JSON', async () => {
  const { call } = await startTestService();
  const made = await call('POST', '/tickets', {
    body: '{"title":"cut \\ud83d","customFields":{"note":"\\ud83d","list":["\\ude00"]}}',
  });
  expect([made.status, made.body.title]).toEqual([200, 'cut \ufffd']);
  expect(made.body.customFields).toEqual({ note: '\ufffd', list: ['\ufffd'] });
  const key = await call('POST', '/tickets', { body: '{"title":"x","customFields":{"\\ud83d":1}}' });
  expect([key.status, key.body.code]).toEqual([400, 'BAD_REQUEST']);
});

it('no request gets 5xx, is left without a response, or gets internals of the service; the tables stay consistent', async () => {
  const running = await startTestService({ poolSize: AT_ONCE });
  const world = await createWorld(running);
  const tables = openTables(running);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  onTestFinished(() => agent.destroy());
  // fast-check takes signed 32-bit seeds.
  const seed = SEED | 0;
  const counts = new Map<number, number>();
  const names = new Set<string>();

  const send = ({ method, path, headers, body }: Request): Promise<Seen> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(
        `${running.url}/`,
        {
          agent,
          method,
          path: `/api${path}`,
          headers: { ...headers, 'x-service-api-token': running.token },
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        },
        (answer) => {
          text(answer).then((got) => resolve({ status: answer.statusCode ?? 0, body: got }), reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });

  const check = (request: Request, { status, body }: Seen): void => {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    names.add(request.name);
    const what = JSON.stringify({ ...request, status, answer: body.slice(0, 500) }).slice(0, 3_000);
    if (status >= 500) throw new Error(`answered 5xx: ${what}\n${lastErrors()}`);
    if (status === 200) {
      const route: Route = routes[request.name];
      const json: unknown = JSON.parse(body);
      if (!route.answer.safeParse(json).success && !route.thin?.safeParse(json).success)
        throw new Error(`not what the schema says: ${what}`);
      return;
    }
    const problem = errorEnvelope.safeParse(JSON.parse(body));
    if (!problem.success) throw new Error(`not the error envelope: ${what}`);
    if (INSIDE.test(body) || body.includes(running.token)) throw new Error(`tells of the inside: ${what}`);
  };
  const lastErrors = () =>
    running.lines
      .filter(({ msg }) => msg === 'request failed')
      .slice(-2)
      .map((line) => JSON.stringify(line).slice(0, 1_500))
      .join('\n');

  let batches = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest(world), { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
      async (requests) => {
        // Concurrently, so that they wait for each other's locks.
        const answers = await Promise.all(requests.map(send));
        for (const [at, answer] of answers.entries()) check(requests[at] as Request, answer);
        // Every event goes to every webhook, so the number of deliveries would be their product.
        if (++batches % 50 === 0) await quiet(tables, world.webhook);
      },
    ),
    {
      seed,
      endOnFailure: true,
      ...(LONG
        ? { numRuns: Math.ceil(REQUESTS_OF_A_LONG_RUN / ((AT_ONCE + 1) / 2)) }
        : { numRuns: 100_000, plugins: [fc.interruptAfterTimeLimit(SUITE_MS)] }),
    },
  );
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const told = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`);
  console.info(`fuzz: seed ${seed}, ${total} requests of ${names.size} operations: ${told.join(', ')}`);
  expect(await inconsistencies(tables)).toEqual([]);
  expect((await running.call('GET', '/tickets')).status).toBe(200);
});

async function quiet({ db }: Database<Tables>, kept: string): Promise<void> {
  await db.updateTable('webhook').set({ active: false }).where('id', '!=', kept).execute();
}

/** Invariants that no constraint of the tables can express. */
async function inconsistencies({ db }: Database<Tables>): Promise<unknown[]> {
  const { rows } = await sql<{ what: string; id: string }>`
    select 'a ticket without its reference' as what, t.id from ticket t
      left join ticket_reference r using (workspace_id, queue_id, number)
      where r.ticket_id is distinct from t.id
    union all
    select 'a queue whose numbers have gaps', q.id from queue q
      where q.last_number <> (select count(*) from ticket_reference r
        where r.workspace_id = q.workspace_id and r.queue_id = q.id)
    union all
    select 'a record changed after its ticket was stamped', m.id from ticket_message m
      join ticket t on t.workspace_id = m.workspace_id and t.id = m.ticket_id
      where m.updated_at > t.stamped_at or t.updated_at > t.stamped_at
    union all
    select 'a deleted message with its text', id from ticket_message
      where (deleted_at is not null) <> (status = 'DELETED') or (deleted_at is not null and content <> '')
    union all
    select 'a ticket that is its own parent', id from ticket where parent_id = id
    union all
    select 'a delivery without an event to tell', d.id from delivery d
      left join event e on e.workspace_id = d.workspace_id and e.id = d.event_id where e.id is null
  `.execute(db);
  const events = await db.selectFrom('event').select(['id', 'body']).limit(2_000).execute();
  const unreadable = events.filter(({ body }) => !webhookEvent.safeParse(JSON.parse(body)).success);
  return [...rows, ...unreadable.map(({ id }) => ({ what: 'an event that is not in the contract', id }))];
}
