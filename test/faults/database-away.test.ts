import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { errorEnvelope } from '../../src/contract/index.ts';
import { startTestService } from '../service/harness.ts';

const TICKET = { title: 'T' };

describe('F3 database failures', () => {
  test('F3 when all connections end in the middle of fifty writes, every caller gets a response in the error envelope, every write answered 200 is stored, and the next write succeeds', async () => {
    const service = await startTestService();
    const admin = new pg.Client({ connectionString: service.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    const answers = [];
    for (let round = 0; round < 5; round++) {
      const writes = Array.from({ length: 10 }, (_, n) =>
        service.call('POST', '/tickets', { body: { title: `${round} ${n}` } }),
      );
      // Waits for each connection to end: a late one could hit the list below instead of a write.
      await admin.query(
        'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      answers.push(...(await Promise.all(writes)));
    }
    for (const { status, body } of answers)
      if (status !== 200)
        expect([status, errorEnvelope.parse(body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const held = (await service.call('GET', '/tickets')).body.items.map(({ id }) => id);
    const promised = answers.filter(({ status }) => status === 200).map(({ body }) => body.id);
    expect(promised.filter((id) => !held.includes(id))).toEqual([]);
    expect((await service.call('POST', '/tickets', { body: TICKET })).status).toBe(200);
  });

  test('F3 a statement that fails on a full disk gets 503, not an internal error', async () => {
    const service = await startTestService();
    const admin = new pg.Client({ connectionString: service.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    await admin.query(`create function service.no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await admin.query(
      'create trigger no_room before insert on service.ticket for each row execute function service.no_room()',
    );
    const full = await service.call('POST', '/tickets', { body: TICKET });
    expect([full.status, errorEnvelope.parse(full.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(errorEnvelope.parse(full.body).message).toMatch(/database is full\. Nothing was changed/);
    await admin.query('drop trigger no_room on service.ticket');
    expect((await service.call('POST', '/tickets', { body: TICKET })).body.number).toBe(1);
  });
});
