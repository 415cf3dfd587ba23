import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { migrations as STEPS } from '../../src/service/schema/migrations.ts';
import { createTestDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { answers, startReceiver } from '../service/receiver.ts';
import { DATA } from './first-rows.ts';

/** Steps after which there is something to hold: all but the first, which has lanes alone, and the newest. */
const EARLIER = STEPS.slice(1, -1).map(({ name }) => name);

test('F12 a service of today delivers once what every earlier version had stored and not delivered, and its tickets go on', async () => {
  const receiver = await startReceiver(answers(200));
  const { url } = await createTestDatabase('upgraded service');
  const old = openDatabase<object>({
    url,
    schema: 'service',
    log: createLog({ level: 'silent', pretty: false }),
    poolSize: 1,
  });
  onTestFinished(() => old.close());
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  onTestFinished(() => database.end().catch(() => undefined));

  for (const [at, step] of STEPS.slice(0, -1).entries()) {
    await migrate(old, STEPS.slice(0, at + 1));
    await database.query('set search_path = service');
    if (step.name.startsWith('0001-')) {
      await database.query(DATA['service'] ?? '');
      await database.query('update webhook set url = $1', [receiver.url]);
    }
    if (EARLIER.includes(step.name)) await hold(database, step.name, at);
  }

  const service = await startTestService({ databaseUrl: url });
  const due = EARLIER.flatMap((step) => [`evt_${step}_first`, `evt_${step}_again`]).sort();
  await until('all deliveries to be done', async () => {
    const { rows } = await database.query<{ open: string }>(
      `select count(*) as open from service.delivery where state <> 'delivered'`,
    );
    return Number(rows[0]?.open) === 0;
  });
  expect(receiver.calls.map(({ headers }) => headers['webhook-id']).sort()).toEqual(due);
  for (const { headers, body } of receiver.calls) {
    expect(JSON.parse(body)).toEqual({ id: headers['webhook-id'] });
    expect(headers['webhook-signature']).toMatch(/^v1,/);
  }

  for (const [at, step] of EARLIER.entries()) {
    const reference = `IT-${at + 2}`;
    const { body } = await service.call('GET', `/tickets/${reference}`);
    expect(body.title, step).toBe(`A ticket of ${step}`);
    const said = { ticketId: reference, content: 'and today' };
    expect((await service.call('POST', '/ticket-messages', { body: said })).status, step).toBe(200);
    const { items } = (await service.call('GET', `/ticket-messages?ticketId=${reference}`)).body;
    expect(items.map(({ content }) => content)).toEqual([`Said at ${step}`, 'and today']);
    const found = await service.call('GET', `/tickets?chatMessageTs=${at + 2}.1`);
    expect(found.body.items.map(({ title }) => title)).toEqual([`A ticket of ${step}`]);
  }
  const next = await service.call('POST', '/tickets', { body: { title: 'A new one', queueId: 'que_1' } });
  expect(next.body.number).toBe(EARLIER.length + 2);
});

/** A ticket with a message and two deliveries, one not tried and one to be tried again: in columns of the first version. */
async function hold(database: pg.Client, step: string, at: number): Promise<void> {
  const number = at + 1;
  const ticket = `tkt_${step}`;
  const run = (statement: string, values: unknown[]) => database.query(statement, values);
  await run(`update queue set last_number = $1 where id = 'que_1'`, [number]);
  await run(
    `insert into ticket (workspace_id, id, queue_id, number, short_id, title, priority, source, requester_id, author_id, status_id, created_at, updated_at, stamped_at)
       values ('wsp_1', $1, 'que_1', $2, $1, $3, 'HIGH', 'CHAT', 'usr_1', 'usr_1', 'sts_1', '2026-01-01', '2026-01-02', '2026-01-02')`,
    [ticket, number, `A ticket of ${step}`],
  );
  await run(`insert into ticket_reference values ('wsp_1', 'que_1', $2, $1)`, [ticket, number]);
  await run(
    `insert into chat_thread (workspace_id, id, ticket_id, channel_id, message_ts, created_at, updated_at)
       values ('wsp_1', $1, $2, 'C1', $3, '2026-01-01', '2026-01-01')`,
    [`cth_${step}`, ticket, `${number}.1`],
  );
  await run(
    `insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status, created_at, updated_at)
       values ('wsp_1', $1, $2, $3, 'usr_1', 'CHAT', 'CREATED', '2026-01-01', '2026-01-01')`,
    [`msg_${step}`, ticket, `Said at ${step}`],
  );
  for (const which of ['first', 'again']) {
    const tried = which === 'again' ? 1 : 0;
    const event = `evt_${step}_${which}`;
    const delivery = `dlv_${step}_${which}`;
    await run(
      `insert into event (workspace_id, id, type, action, body, created_at)
         values ('wsp_1', $1, 'Ticket', 'created', $2, '2026-01-01')`,
      [event, JSON.stringify({ id: event })],
    );
    await run(
      `insert into delivery (workspace_id, id, webhook_id, event_id, state, step, next_attempt_at, created_at, updated_at)
         values ('wsp_1', $1, 'whk_1', $2, 'pending', $3, '2026-01-01', '2026-01-01', '2026-01-01')`,
      [delivery, event, tried],
    );
    const payload = { workspaceId: 'wsp_1', webhookId: 'whk_1', deliveryId: delivery, round: 0, step: tried };
    await run(
      `insert into job (queue, key, payload, head, run_at) values ($1, $2, $3, true, clock_timestamp())`,
      [tried ? 'webhook-retry' : 'webhook', delivery, payload],
    );
  }
}
