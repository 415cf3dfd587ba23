import { randomBytes } from 'node:crypto';

import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { StartError } from '../../src/platform/lifecycle.ts';
import { createSealing } from '../../src/platform/sealing.ts';
import { verifySignature } from '../../src/platform/signatures.ts';
import { startTestService } from './harness.ts';
import { type Received, startReceiver } from './receiver.ts';
import { openTables } from './world.ts';

const NOTHING: Received = { path: '', headers: {}, body: '' };
type Started = Awaited<ReturnType<typeof startTestService>>;

/** The full content of a table as text. */
async function dump({ databaseUrl }: Pick<Started, 'databaseUrl'>, table: string): Promise<string> {
  const { db } = openTables({ databaseUrl });
  const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(table)} t`.execute(db);
  return rows.map(({ row }) => row).join('\n');
}

/** The secrets that signed the newest of `count` calls. */
async function signers(
  service: Started,
  receiver: Awaited<ReturnType<typeof startReceiver>>,
  secrets: readonly string[],
): Promise<boolean[]> {
  const count = receiver.calls.length + 1;
  await service.call('POST', '/tickets', { body: { title: 'T' } });
  const { headers, body } = (await receiver.received(count))[count - 1] ?? NOTHING;
  const parts = {
    id: String(headers['webhook-id']),
    timestamp: String(headers['webhook-timestamp']),
    body: Buffer.from(body),
  };
  return secrets.map((secret) => verifySignature(parts, String(headers['webhook-signature']), [secret]));
}

const secretOf = async ({ call }: Started, id: string) => (await call('GET', `/webhooks/${id}`)).body.secret;

it('a webhook’s secrets are sealed in the database: a dump of any table contains none of them', async () => {
  const service = await startTestService();
  const receiver = await startReceiver();
  const secrets = ['the first secret of all', 'the second secret of all'] as const;
  const { id } = (
    await service.call('POST', '/webhooks', { body: { url: receiver.url, secret: secrets[0] } })
  ).body;
  await service.call('PUT', `/webhooks/${id}`, { body: { secret: secrets[1] } });
  expect(await secretOf(service, id)).toBe(secrets[1]);
  // During a rotation both are read from the sealed values.
  expect(await signers(service, receiver, secrets)).toEqual([true, true]);
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'service'`.execute(
    openTables(service).db,
  );
  expect(tables.rows.map(({ name }) => name)).toContain('webhook');
  for (const { name } of tables.rows) {
    const rows = await dump(service, name);
    for (const secret of secrets) {
      expect([name, rows.includes(secret)]).toEqual([name, false]);
      expect([name, rows.includes(Buffer.from(secret).toString('hex'))]).toEqual([name, false]);
    }
  }
  expect(await dump(service, 'webhook')).toMatch(/sealed1\..*sealed1\./);
  expect(
    service.lines.map((line) => JSON.stringify(line)).filter((line) => /secret of all/.test(line)),
  ).toEqual([]);
});

it('the same secret is sealed differently each time, and opens only in its own row', () => {
  const sealing = createSealing([randomBytes(32)]);
  const [one, two] = [sealing.seal('geheim 🔑', 'a'), sealing.seal('geheim 🔑', 'a')];
  expect(one).not.toBe(two);
  expect([sealing.open(one, 'a'), sealing.open(two, 'a')]).toEqual(['geheim 🔑', 'geheim 🔑']);
  expect(() => sealing.open(one, 'b')).toThrow(/another place/);
  const at = one.length - 5;
  const changed = one.slice(0, at) + (one[at] === 'A' ? 'B' : 'A') + one.slice(at + 1);
  expect(() => sealing.open(changed, 'a')).toThrow(/changed/);
  expect(() => createSealing([randomBytes(32)]).open(one, 'a')).toThrow(/unknown key/);
  expect(() => sealing.open('sealed1', 'a')).toThrow();
});

it('a new key before the old one seals everything again, and from then on only the new one opens it', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const first = await startTestService({ encryptionKeys: [older] });
  const { databaseUrl } = first;
  const { id } = (
    await first.call('POST', '/webhooks', {
      body: { url: 'http://127.0.0.1:9/', secret: 'kept through it all' },
    })
  ).body;
  const sealed = await dump(first, 'webhook');
  await first.stop();
  const second = await startTestService({ databaseUrl, encryptionKeys: [newer, older] });
  expect(await secretOf(second, id)).toBe('kept through it all');
  expect(await dump(second, 'webhook')).not.toBe(sealed);
  await second.stop();
  const third = await startTestService({ databaseUrl, encryptionKeys: [newer] });
  expect(await secretOf(third, id)).toBe('kept through it all');
  await third.stop();
  await expect(startTestService({ databaseUrl, encryptionKeys: [older] })).rejects.toThrow(
    /TOKEN_ENCRYPTION_KEY/,
  );
});

it('a secret that changes while everything is sealed again is kept', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const first = await startTestService({ encryptionKeys: [older] });
  const { databaseUrl, call } = first;
  const url = 'http://127.0.0.1:9/';
  const { id } = (await call('POST', '/webhooks', { body: { url, secret: 'the newer secret' } })).body;
  const { db } = openTables(first);
  const { secret } = await db.selectFrom('webhook').select('secret').executeTakeFirstOrThrow();
  await call('PUT', `/webhooks/${id}`, { body: { secret: 'the older secret' } });
  await first.stop();
  const change = await db.startTransaction().execute();
  await change.updateTable('webhook').set({ secret }).execute();
  const starting = startTestService({ databaseUrl, encryptionKeys: [newer, older] });
  const waiting = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
  await change.commit().execute();
  expect(await secretOf(await starting, id)).toBe('the newer secret');
});

it('a service with another key than its database’s does not start, even before there is any secret', async () => {
  const first = await startTestService();
  await first.stop();
  const { databaseUrl } = first;
  await expect(startTestService({ databaseUrl, encryptionKeys: [randomBytes(32)] })).rejects.toBeInstanceOf(
    StartError,
  );
});
