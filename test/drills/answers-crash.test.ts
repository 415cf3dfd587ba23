import type { ServerResponse } from 'node:http';

import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { type Database, transaction } from '../../src/platform/database/open.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { freePorts } from '../harness/ports.ts';
import { until } from '../harness/until.ts';
import { setUpDesk } from '../service/answers/answer-desk.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';
import { completion, startModel } from '../service/answers/model-server.ts';

const answered = completion('Install **5.2.2** [1].');

/** Takes a lock; resolves to a function that releases it. */
async function locked({ db }: Database<Tables>, lock: ReturnType<typeof sql>): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<undefined>();
  const over = Promise.withResolvers<undefined>();
  const done = transaction(db, async (tx) => {
    await lock.execute(tx);
    held.resolve(undefined);
    await over.promise;
  });
  await held.promise;
  return async () => {
    over.resolve(undefined);
    await done;
  };
}

it('F1 B42 a service killed at any step of an answer writes each answer exactly once', async () => {
  const databaseUrl = await serviceDatabase();
  const [port = 0] = await freePorts(1);
  const model = await startModel(answered);
  const start = () => launch(databaseUrl, { port, modelUrl: model.baseUrl });
  let running = await start();
  const desk = await setUpDesk({ ...running, databaseUrl });
  const { tables } = desk;

  /** The model's answer to the next question, under the control of the test. */
  const withheld = () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    model.behave(resolve, answered);
    return promise;
  };
  const isHeldUp = () =>
    until('the service to wait for the lock', async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(tables.db);
      return rows.length > 0;
    });
  /** Lets the model answer while a lock blocks the write, and the service wait for it. */
  const stoppedBy = async (lock: (ticketId: string) => ReturnType<typeof sql>) => {
    const response = withheld();
    const { id } = await desk.ask('The VPN drops every few minutes');
    const asked = await response;
    const letGo = await locked(tables, lock(id));
    answered(asked);
    await isHeldUp();
    return { id, letGo };
  };

  const steps: Record<string, () => Promise<{ id: string; letGo?: () => Promise<void> }>> = {
    'the model is asked': async () => {
      const response = withheld();
      const { id } = await desk.ask('The VPN drops every few minutes');
      await response;
      return { id };
    },
    'the answer is to be written': () =>
      stoppedBy((id) => sql`select 1 from ticket where id = ${id} for update`),
    'the answer is written and not committed': () =>
      stoppedBy((id) => sql`select 1 from lane where key = ${`answer:${id}`} for update`),
    'the answer is there': async () => {
      const { id } = await desk.ask('The VPN drops every few minutes');
      await until('the answer', async () => (await desk.answers(id)).length > 0);
      return { id };
    },
  };
  for (const [step, reach] of Object.entries(steps)) {
    const { id, letGo } = await reach();
    await running.kill();
    model.hangUp();
    await letGo?.();
    running = await start();
    expect([step, await desk.settled(id)]).toMatchObject([step, [{ outcome: 'answered' }]]);
    await desk.say(id, desk.ada, 'And the VPN version 5.2.2 drops as well, every few minutes');
    await desk.settled(id, 2);
    expect([step, (await desk.answers(id)).length, await desk.notes(id)]).toEqual([step, 2, []]);
  }
});
