import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';

import { errorEnvelope } from '../../src/contract/index.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { stoppedClock } from '../harness/clock.ts';
import { until } from '../harness/until.ts';
import { MovableClock } from './clock.ts';
import { sharedService, startTestService } from './harness.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

const quiet = createLog({ level: 'silent', pretty: false });

describe('API keys', () => {
  it('are accepted in the query too, but the header takes precedence', async () => {
    const { call, token } = await newWorkspace();
    expect((await call('GET', `/queues?apiKey=${token}`, { token: null })).status).toBe(200);
    expect(
      (await call('GET', `/queues?apiKey=${token}`, { token: 'another-key-of-some-length' })).status,
    ).toBe(401);
    expect((await call('GET', '/queues?apiKey=another-key-of-some-length')).status).toBe(200);
    expect((await call('GET', `/queues?apiKey=${token}&apiKey=${token}`, { token: null })).status).toBe(401);
  });

  it('never appear in the log, nor do users’ texts', async () => {
    const { call, token, lines } = await newWorkspace();
    await call('GET', `/queues?apiKey=${token}`, { token: null });
    await call('GET', `/nothing?apiKey=${token}`, { token: null });
    await call('POST', `/tickets?apiKey=${token}`, {
      token: null,
      body: { title: 'planted words', description: 1 },
    });
    const created = await call('POST', '/api-keys', { body: { name: 'made', role: 'read' } });
    const { key } = created.body as { key: string };
    expect((await call('GET', '/queues', { token: key })).status).toBe(200);
    const text = JSON.stringify(lines);
    expect(lines.length).toBeGreaterThan(4);
    expect(text).not.toContain(token);
    expect(text).not.toContain(key);
    expect(text).not.toContain('planted words');
  });

  it('are shown once, stored only as a digest, and stop working at once when revoked', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const created = await call('POST', '/api-keys', {
      body: { name: 'short-lived', role: 'agent', rateLimit: 5 },
    });
    const { key, id, prefix } = created.body as { key: string; id: string; prefix: string };
    expect(key).toMatch(/^dbk_[0-9a-f]{12}_[\w-]{43}$/);
    expect(key.startsWith(prefix)).toBe(true);
    const stored = await openTables(running)
      .db.selectFrom('api_key')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(stored.hash).toHaveLength(32);
    expect(JSON.stringify((await call('GET', '/api-keys')).body)).not.toContain(key);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call('GET', '/queues', { token: key })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await call('DELETE', `/api-keys/${id}`)).status).toBe(200);
    expect((await call('GET', '/queues', { token: key })).status).toBe(401);
    expect((await call('DELETE', `/api-keys/${id}`)).status).toBe(404);
    const listed = (await call('GET', '/api-keys')).body as { items: { id: string }[] };
    expect(listed.items.map((item) => item.id)).not.toContain(id);
  });

  it('stop working at once in the process that revokes them, and by its notification in every other process', async () => {
    const one = await newWorkspace();
    const other = await startTestService({ databaseUrl: one.databaseUrl, clock: stoppedClock() });
    const { key, id } = (
      await one.call('POST', '/api-keys', { body: { name: 'short-lived', role: 'agent' } })
    ).body;
    const status = async ({ call }: typeof one) => (await call('GET', '/statuses', { token: key })).status;
    for (const running of [one, other, one, other]) expect(await status(running)).toBe(200);
    await one.call('DELETE', `/api-keys/${id}`);
    expect(await status(one)).toBe(401);
    await until('the other one to know', async () => (await status(other)) === 401);
  });

  it('are read again after missed notifications', async () => {
    const service = await startTestService({ clock: stoppedClock() });
    const { call } = service;
    const { key, id } = (await call('POST', '/api-keys', { body: { name: 'short-lived', role: 'agent' } }))
      .body;
    const status = async () => (await call('GET', '/statuses', { token: key })).status;
    expect(await status()).toBe(200);
    const { db } = openTables(service);
    // As a revocation during a lost connection.
    await sql`alter table api_key disable trigger api_key_changed`.execute(db);
    await db.updateTable('api_key').set({ revoked_at: new Date() }).where('id', '=', id).execute();
    expect(await status()).toBe(200);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
    await until('the key to be refused', async () => (await status()) === 401);
    await sql`alter table api_key enable trigger api_key_changed`.execute(db);
  });

  it('show when they were last used, written at most once a minute', async () => {
    const clock = new MovableClock();
    const { call } = await startTestService({ clock });
    const lastUsed = async () =>
      ((await call('GET', '/api-keys')).body as { items: { lastUsedAt: string }[] }).items[0]?.lastUsedAt;
    const first = await lastUsed();
    expect(first).toBe('2026-11-20T09:30:00.000Z');
    clock.pass(59_999);
    expect(await lastUsed()).toBe(first);
    clock.pass(1);
    expect(await lastUsed()).toBe('2026-11-20T09:31:00.000Z');
  });

  it('configured keys are installed once, however often, and a revocation survives a restart', async () => {
    const { service, call } = await startTestService();
    const token = 'a-token-that-was-given-to-us';
    const install = () => service.installKey({ token, name: 'given', role: 'agent' });
    await Promise.all([install(), install(), install()]);
    const keys = (await call('GET', '/api-keys?search=given')).body as { items: { id: string }[] };
    expect(keys.items).toHaveLength(1);
    await call('DELETE', `/api-keys/${keys.items[0]?.id ?? ''}`);
    await install();
    expect((await call('GET', '/queues', { token })).status).toBe(401);
  });
});

describe('the rate limit', () => {
  it('counts per key, returns the remainder, rejects with Retry-After, and refills over time', async () => {
    const clock = new MovableClock();
    const { call, key, service } = await startTestService({ clock, rateLimitPerMinute: 1_000_000 });
    const { token } = await service.installKey({ name: 'slow', role: 'read', rateLimit: 6 });
    const answers = [];
    for (let count = 0; count < 7; count++) answers.push(await call('GET', '/queues', { token }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"default";q=6;w=60');
    expect(answers[0]?.headers.get('ratelimit')).toBe('"default";r=5;t=10');
    const refused = answers[6];
    expect(refused?.headers.get('retry-after')).toBe('10');
    expect(refused?.headers.get('ratelimit')).toBe('"default";r=0;t=10');
    expect(errorEnvelope.parse(refused?.body).code).toBe('TOO_MANY_REQUESTS');
    clock.pass(9_999);
    expect((await call('GET', '/queues', { token })).status).toBe(429);
    clock.pass(1);
    expect((await call('GET', '/queues', { token })).status).toBe(200);
    expect((await call('GET', '/queues', { token: await key('read') })).status).toBe(200);
  });

  it('counts by address without a valid key, and exempts the embedded key', async () => {
    const { call } = await startTestService({ rateLimitPerMinute: 3, clock: new MovableClock() });
    const statuses = [];
    for (let count = 0; count < 5; count++)
      statuses.push((await call('GET', '/queues', { token: 'guess-'.repeat(4) })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await call('GET', '/nothing', { token: null })).status).toBe(429);
    for (let count = 0; count < 10; count++) {
      const answer = await call('GET', '/queues');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit')).toBeNull();
    }
  });
});

describe('request bodies', () => {
  it('a body of another type gets 415, a too large one 413, a deeply nested one, one of many values and one with NUL 400', async () => {
    const { call } = await newWorkspace();
    const csv = await call('POST', '/tickets', { body: 'title', headers: { 'content-type': 'text/csv' } });
    expect([csv.status, csv.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const large = await call('POST', '/tickets', {
      body: JSON.stringify({ title: 'x'.repeat(1024 * 1024) }),
    });
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const deep = `{"title":"x","customFields":{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`;
    expect((await call('POST', '/tickets', { body: deep })).status).toBe(400);
    const keys = Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 0] as const);
    for (const customFields of [Object.fromEntries(keys), { a: keys }, { a: keys.map(() => 0) }]) {
      const { status, body } = await call('POST', '/tickets', { body: { title: 'x', customFields } });
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect((await call('POST', '/tickets', { body: '{"title":"a\\u0000b"}' })).status).toBe(400);
    expect((await call('GET', '/tickets/a%00b')).status).toBe(400);
    expect((await call('GET', '/tickets?search=a%00b')).status).toBe(400);
    const prototype = await call('POST', '/tickets', {
      body: '{"title":"x","customFields":{"__proto__":{"polluted":true}}}',
    });
    expect(prototype.status).toBe(400);
  });

  it('lone surrogates, emoji and right-to-left text are stored and returned', async () => {
    const { call } = await newWorkspace();
    const title = '👩🏽‍💻 שלום عربي e\u0301';
    const answer = await call('POST', '/tickets', {
      body: { title, description: 'lone \\ud800'.replace('\\ud800', '\ud800') },
    });
    expect([answer.status, answer.body.title]).toEqual([200, title]);
  });

  it('a content type may have a charset and upper case', async () => {
    const { call } = await newWorkspace();
    const headers = { 'content-type': 'Application/JSON; charset=UTF-8' };
    expect((await call('POST', '/tickets', { body: { title: 'x' }, headers })).status).toBe(200);
  });
});

describe('database failures', () => {
  it('a database that is down gives 503 in the error envelope, and the service recovers with it', async () => {
    const running = await startTestService();
    const { call } = running;
    const { db } = openDatabase<object>({
      url: inject('adminUrl'),
      schema: 'public',
      log: quiet,
      poolSize: 1,
    });
    onTestFinished(() => db.destroy());
    const name = new URL(running.databaseUrl.replace('@/', '@localhost/')).pathname.slice(1);
    await sql`alter database ${sql.id(name)} allow_connections false`.execute(db);
    await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`.execute(
      db,
    );
    for (const [method, path, body] of [
      ['GET', '/queues', undefined],
      ['POST', '/tickets', { title: 'x' }],
    ] as const) {
      const away = await call(method, path, { body });
      expect([away.status, errorEnvelope.parse(away.body).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect((await fetch(running.url.replace('/api', '/readyz'))).status).toBe(503);
    await sql`alter database ${sql.id(name)} allow_connections true`.execute(db);
    expect((await call('POST', '/tickets', { body: { title: 'x' } })).status).toBe(200);
    expect((await fetch(running.url.replace('/api', '/readyz'))).status).toBe(200);
  });

  it('a database with an unexpected schema gives 500 without internals', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    await db.schema.withSchema('service').alterTable('queue').renameTo('queue_gone').execute();
    const broken = await running.call('GET', '/queues');
    expect([broken.status, broken.body.code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(JSON.stringify(broken.body)).not.toMatch(/queue|relation|select/);
  });
});
