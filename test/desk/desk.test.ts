import { describe, expect, test } from 'vitest';

import { startForeignService } from '../harness/foreign-service.ts';
import { patientClient } from '../harness/patient-client.ts';
import { startTap } from '../harness/tap.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { anotherWorkspace, keyOfBoth, openTables } from '../service/world.ts';
import { copyRow } from '../drills/harness/copied-rows.ts';
import { listenTo, openDesk } from './open-desk.ts';

const COOKIE = 'deskbridge_session';

describe('a session', () => {
  test('starts with a key that the service accepts, shows the author, and ends with sign-out', async () => {
    const { url, token, call } = await startTestService();
    const { ask } = await openDesk(url);
    expect((await ask('GET', '/desk/session')).body).toEqual({ signIn: false, session: null });
    expect((await ask('GET', '/desk/api/tickets')).status).toBe(401);
    const wrong = await ask('POST', '/desk/session', { key: 'dbk_of_nobody_at_all' });
    expect([wrong.status, wrong.body['message']]).toEqual([
      401,
      expect.stringMatching(/This API key is not valid/),
    ]);
    expect((await ask('POST', '/desk/session', { key: 'two words' })).status).toBe(400);

    const { headers } = await ask('POST', '/desk/session', { key: ` ${token} ` });
    expect(headers.get('set-cookie')).toMatch(/^deskbridge_session=[^;]+; Path=\/; HttpOnly; SameSite=Lax/);
    const { body: mira } = await call('POST', '/users', { body: { firstName: 'Mira', lastName: 'Lind' } });
    expect((await ask('PUT', '/desk/session', { userId: 'usr_nobody' })).status).toBe(404);
    expect((await ask('PUT', '/desk/session', { userId: mira.id })).status).toBe(200);
    expect((await ask('GET', '/desk/session')).body).toMatchObject({ session: { userId: mira.id } });

    const { body: ticket } = await ask('POST', '/desk/api/tickets', {
      title: 'A lamp',
      authorId: 'usr_other',
    });
    const { body: reply } = await ask('POST', '/desk/api/ticket-messages', {
      ticketId: ticket['id'],
      content: '**Which** lamp? <b>',
      authorId: 'usr_other',
    });
    expect(ticket['authorId']).toBe(mira.id);
    expect(reply).toMatchObject({
      authorId: mira.id,
      source: 'WEB',
      html: '<p><strong>Which</strong> lamp? &lt;b&gt;</p>',
    });

    const path = `/desk/api/tickets/${String(ticket['id'])}`;
    await ask('PUT', path, { data: { approverIds: [mira.id] }, approverId: 'usr_other' });
    const { body: approved } = await ask('PUT', path, { data: { approvedAt: '2026-11-20T09:30:00Z' } });
    expect(approved['metadata']).toMatchObject({ approval: { userId: mira.id, decision: 'approved' } });

    await ask('DELETE', '/desk/session');
    expect((await ask('GET', '/desk/api/tickets')).status).toBe(401);
  });

  test('survives a restart, but not a week, nor a change of its cookie', async () => {
    const { url, token } = await startTestService();
    const { headers } = await (await openDesk(url)).ask('POST', '/desk/session', { key: token });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const clock = { aheadMs: 0 };
    const restarted = await openDesk(url, { clock });
    const withCookie = async (value: string) =>
      (await restarted.ask('GET', '/desk/api/tickets', undefined, { cookie: value })).status;
    expect(await withCookie(cookie)).toBe(200);
    expect(await withCookie(`${cookie.slice(0, -4)}AAAA`)).toBe(401);
    expect(await withCookie(`${COOKIE}=${token}`)).toBe(401);
    clock.aheadMs = 8 * 24 * 60 * 60 * 1000;
    expect(await withCookie(cookie)).toBe(401);
  });

  test('ends in every browser when the key is revoked', async () => {
    const { url, token, call } = await startTestService();
    const { body: made } = await call('POST', '/api-keys', { body: { name: 'desk', role: 'agent' } });
    const { ask } = await openDesk(url);
    await ask('POST', '/desk/session', { key: made.key });
    expect((await ask('GET', '/desk/api/tickets')).status).toBe(200);
    await call('DELETE', `/api-keys/${made.id}`, { token });
    const refused = await ask('GET', '/desk/api/tickets');
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([
      401,
      expect.stringMatching(/Max-Age=0/),
    ]);
  });
});

test('no other page can use a session: not another site, not another port of this host', async () => {
  const { url, token } = await startTestService();
  const desk = await openDesk(url);
  await desk.ask('POST', '/desk/session', { key: token });
  const post = async (headers: Record<string, string>) =>
    (await desk.ask('POST', '/desk/api/tickets', { title: 'Planted' }, headers)).status;
  expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await post({ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' })).toBe(403);
  expect((await desk.ask('GET', '/desk/live', undefined, { 'sec-fetch-site': 'same-site' })).status).toBe(
    403,
  );
  expect(await post({})).toBe(200);
});

test('the browser never gets the key, and the log never contains it', async () => {
  const { url, token } = await startTestService();
  const desk = await openDesk(url);
  const told = [
    await desk.ask('POST', '/desk/session', { key: token }),
    await desk.ask('POST', '/desk/session', { key: `${token}x` }),
    ...(await Promise.all(
      ['/', '/desk/session', '/desk/api/tickets', '/desk/api/api-keys', '/desk/api/nothing'].map((path) =>
        desk.ask('GET', path),
      ),
    )),
  ];
  expect(told.map(({ status }) => status)).toEqual([200, 401, 200, 200, 200, 200, 404]);
  expect([...told.map(({ text }) => text), ...desk.lines].filter((text) => text.includes(token))).toEqual([]);
});

test('the page only runs its own scripts, and cannot be framed', async () => {
  const { ask } = await openDesk('http://127.0.0.1:1/api');
  const { text, headers } = await ask('GET', '/');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
  );
  expect(text).not.toMatch(/<script>|<style>| on\w+=|style=/);
  const addresses = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) expect((await ask('GET', address)).status, address).toBe(200);
});

test('the browser gets 503 while the service is down, for reads and writes', async () => {
  const service = await startTestService();
  const { ask } = await openDesk(service.url);
  await ask('POST', '/desk/session', { key: service.token });
  await service.stop();
  const { status, body } = await ask('POST', '/desk/api/ticket-messages', {
    ticketId: 'tkt_1',
    content: 'x',
  });
  expect([status, body['code']]).toEqual([503, 'SERVICE_UNAVAILABLE']);
});

test('a reply whose response is lost is looked up on the ticket and not reported as failed', async () => {
  const { url, token, call } = await startTestService();
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  const tap = await startTap('service', url.replace(/\/api$/, ''), async ({ request, when }) =>
    request === 'POST /api/ticket-messages' && when === 'answered' ? 'drop' : 'go on',
  );
  const { ask } = await openDesk(`${tap.url}/api`);
  await ask('POST', '/desk/session', { key: token });
  const { status, body } = await ask('POST', '/desk/api/ticket-messages', {
    ticketId: ticket.id,
    content: 'Which lamp?',
  });
  expect([status, body['content']]).toEqual([200, 'Which lamp?']);
  const { body: messages } = await call('GET', `/ticket-messages?ticketId=${ticket.id}`);
  expect(messages.items.map(({ content }) => content)).toEqual(['Which lamp?']);
});

test('F4 a reply is sent while others try invalid API keys, which end nothing of the signed-in user', async () => {
  const { url, token, call } = await startTestService();
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  let tried = 0;
  const tryKeys = async (count: number) => {
    const keys = Array.from({ length: count }, () => `dbk_of_nobody_${tried++}`);
    await Promise.all(keys.map((key) => desk.ask('POST', '/desk/session', { key }, { cookie: '' })));
  };
  // Between the look at the ticket and the write: few, since the desk waits for this answer.
  const tap = await startTap('service', url.replace(/\/api$/, ''), async ({ request, when }) => {
    if (request === 'GET /api/ticket-messages' && when === 'answered') await tryKeys(10);
    return 'go on';
  });
  const desk = await openDesk(`${tap.url}/api`);
  const { headers } = await desk.ask('POST', '/desk/session', { key: token });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  await tryKeys(110);
  const reply = { ticketId: ticket.id, content: 'Which lamp?' };
  expect((await desk.ask('POST', '/desk/api/ticket-messages', reply, { cookie })).status).toBe(200);
});

test('with a service that only has the published operations, the desk still shows, answers and changes tickets', async () => {
  const { url, token, call } = await startTestService();
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  const strange = { missing: 404, lists: 'array', pairs: 'dropped', events: 'id' } as const;
  const foreign = await startForeignService(url.replace(/\/api$/, ''), strange);
  const { ask } = await openDesk(`${foreign.url}/api`);
  expect((await ask('POST', '/desk/session', { key: token })).status).toBe(200);
  const titles = (body: Record<string, unknown>) =>
    (body['items'] as { title: string }[]).map(({ title }) => title);
  expect(titles((await ask('GET', '/desk/api/tickets?openFilter=true&sortBy=updatedAt')).body)).toEqual([
    'A lamp',
  ]);
  const path = `/desk/api/tickets/${ticket.id}`;
  expect((await ask('GET', path)).body).toMatchObject({ title: 'A lamp', approvers: [] });
  expect((await ask('PUT', path, { data: { title: 'Two lamps' } })).body).toMatchObject({
    title: 'Two lamps',
  });
  const reply = { ticketId: ticket.id, content: 'Which lamp?', private: true };
  expect((await ask('POST', '/desk/api/ticket-messages', reply)).body).toMatchObject({ private: true });
  expect((await ask('GET', '/desk/api/tickets/semantic-search?query=lamp')).body).toMatchObject({
    items: [{ title: 'Two lamps' }],
    meaning: true,
  });
  expect((await ask('PUT', `${path}/claim`, { userId: 'usr_1' })).status).toBe(404);
  for (const missing of ['api-keys', 'webhooks'])
    expect((await ask('GET', `/desk/api/${missing}`)).status).toBe(404);
});

test('an answer with messages has at most 200 of them, however many are asked for, and its cursor reads on', async () => {
  const running = await startTestService();
  const { url, token, call, workspaceId } = running;
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  const { body: first } = await call('POST', '/ticket-messages', {
    body: { ticketId: ticket.id, content: 'Which *lamp*?' },
  });
  const values = { updated_at: "o.updated_at + n * interval '1 second'" };
  await copyRow(openTables(running), { table: 'ticket_message', workspaceId, id: first.id }, 404, values);
  const { ask } = await openDesk(url);
  await ask('POST', '/desk/session', { key: token });
  const read = async (query: string) => {
    const { status, body } = await ask('GET', `/desk/api/ticket-messages?ticketId=${ticket.id}&${query}`);
    return { status, ...(body as { items: { id: string; html: string }[]; nextCursor: string | null }) };
  };
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof read>> = await read(`limit=10000&cursor=${cursor}`);
    expect(page.items.every(({ html }) => html.includes('<em>lamp</em>'))).toBe(true);
    sizes.push(page.items.length);
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(sizes).toEqual([200, 200, 5]);
  expect(new Set(seen).size).toBe(405);
  expect((await read('limit=150')).items).toHaveLength(150);
  // By offset the next page would skip what this one left out.
  expect((await read('limit=201&offset=0')).status).toBe(422);
});

test('browsers are notified which ticket or message changed, and when their key is revoked', async () => {
  const { url, token, call, key } = await startTestService();
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  const desk = await openDesk(url);
  const ownKey = await key('agent');
  const { headers } = await desk.ask('POST', '/desk/session', { key: ownKey });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const { heard, ended } = await listenTo(desk, cookie);
  await until('the stream', async () => heard().includes('event: ready'));
  const client = patientClient({ url, token });
  const times = () => heard().split(`"${ticket.id}"`).length - 1;
  for (const content of ['Which lamp?', 'That one?']) {
    const before = times();
    await client.createTicketMessage({ body: { ticketId: ticket.id, content } });
    await until('news of the ticket', async () => times() > before || undefined);
  }
  const { items } = await client.listApiKeys({});
  const own = items.find(({ name }) => name === 'agent');
  await client.revokeApiKey({ params: { id: own?.id ?? '' } });
  await ended;
  expect(heard()).toContain('event: signed-out');
});

test('a key for two workspaces sees both: lists in one order, references, and changes', async () => {
  const running = await startTestService();
  const other = await anotherWorkspace(running);
  const token = await keyOfBoth(running, other.workspaceId);
  const open = async (title: string, key: string) =>
    (await running.call('POST', '/tickets', { token: key, body: { title } })).body.id;
  await open('first', running.token);
  const away = await open('second', other.token);
  await open('third', running.token);
  const { ask } = await openDesk(running.url);
  await ask('POST', '/desk/session', { key: token });
  const listed = async (more: string) => {
    const { body } = await ask('GET', `/desk/api/tickets?sortBy=updatedAt&sortDirection=desc${more}`);
    return [(body['items'] as { title: string }[]).map(({ title }) => title), body['totalCount']];
  };
  expect(await listed('')).toEqual([['third', 'second', 'first'], 3]);
  expect(await listed('&limit=2')).toEqual([['third', 'second'], 3]);
  expect(await listed(`&workspaceId=${other.workspaceId}`)).toEqual([['second'], 1]);
  const filters = [{}, { workspaceId: other.workspaceId }, { search: 'third' }].map((query, at) => ({
    key: `${at}`,
    query,
  }));
  expect((await ask('POST', '/desk/api/tickets/counts', { filters })).body).toEqual({
    counts: [3, 1, 1].map((count, at) => ({ key: `${at}`, count, isCapped: false })),
  });
  await open('a second look at the second', running.token);
  const search = await ask('GET', '/desk/api/tickets/semantic-search?query=second');
  expect(search.body).toMatchObject({
    items: [{ title: 'second' }, { title: 'a second look at the second' }],
    meaning: false,
    matches: [
      {
        snippets: [
          {
            field: 'title',
            marks: [
              { from: 2, to: 8 },
              { from: 21, to: 27 },
            ],
          },
        ],
      },
      { snippets: [{ field: 'title', marks: [{ from: 0, to: 6 }] }] },
    ],
    totalCount: 2,
  });
  expect((await ask('GET', '/desk/api/tickets/OTH-1')).body).toMatchObject({ title: 'second' });
  expect((await ask('GET', '/desk/api/tickets/OTH-9')).status).toBe(404);
  const reply = { ticketId: away, content: 'x' };
  expect((await ask('POST', '/desk/api/ticket-messages', reply)).status).toBe(200);
  const { body } = await ask('GET', `/desk/api/ticket-messages?ticketId=${away}`);
  expect(body['totalCount']).toBe(1);
  const { body: statuses } = await ask('GET', '/desk/api/statuses');
  expect(statuses['totalCount']).toBe(10);
});
