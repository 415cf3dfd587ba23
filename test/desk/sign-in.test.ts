import { describe, expect, test } from 'vitest';

import { SOMETHING_ELSE } from '../../src/contract/index.ts';
import { until } from '../harness/until.ts';
import { type Running, startTestService } from '../service/harness.ts';
import { signIn } from '../service/signed-in.ts';
import { openTables } from '../service/world.ts';
import { type DeskSettings, listenTo, openDesk } from './open-desk.ts';

const COOKIE = 'deskbridge_session';

/** A desk at which people sign in, and a person who did. */
async function deskOf(
  person: Parameters<typeof signIn>[2] = { role: 'agent' },
  settings: DeskSettings = {},
): Promise<Running & { desk: Desk; signedIn: SignedIn; cookie: string }> {
  const running = await startTestService();
  const desk = await openDesk(running.url, { signIn: true, ...settings });
  running.service.onAccessChange(() => desk.checkSessions());
  running.service.onReadersChange(() => desk.tellReaders());
  const signedIn = await signIn(openTables(running).db, running.workspaceId, person);
  return { ...running, desk, signedIn, cookie: `${COOKIE}=${signedIn.token}` };
}
type Desk = Awaited<ReturnType<typeof openDesk>>;
type SignedIn = Awaited<ReturnType<typeof signIn>>;

describe('where people sign in', () => {
  test('the session says who it is; nobody else can be chosen, and what is written bears its person', async () => {
    const { desk, signedIn, cookie, call, token } = await deskOf();
    const ask = (method: string, path: string, body?: unknown) => desk.ask(method, path, body, { cookie });
    const { body } = await ask('GET', '/desk/session');
    expect(body).toMatchObject({
      signIn: true,
      session: { id: signedIn.id, userId: signedIn.personId, role: 'agent', queueIds: null },
    });
    expect(JSON.stringify(body)).not.toContain(signedIn.token);
    const { body: sam } = await call('POST', '/users', { body: { firstName: 'Sam' } });
    expect((await ask('PUT', '/desk/session', { userId: sam.id })).status).toBe(404);
    expect((await desk.ask('POST', '/desk/session', { key: token })).status).toBe(404);

    const { body: ticket } = await ask('POST', '/desk/api/tickets', { title: 'A lamp', authorId: sam.id });
    const { body: reply } = await ask('POST', '/desk/api/ticket-messages', {
      ticketId: ticket['id'],
      content: 'Which lamp?',
      authorId: sam.id,
    });
    expect([ticket['authorId'], reply['authorId'], reply['source']]).toEqual([
      signedIn.personId,
      signedIn.personId,
      'WEB',
    ]);
    const path = `/desk/api/tickets/${String(ticket['id'])}`;
    expect((await ask('PUT', `${path}/claim`, { userId: sam.id })).status).toBe(403);
    const { body: asked } = await call('POST', '/tickets', {
      body: { title: 'A key', requesterId: sam.id, authorId: sam.id },
    });
    const approval = `/desk/api/tickets/${asked.id}`;
    await ask('PUT', approval, { data: { approverIds: [signedIn.personId] }, approverId: sam.id });
    const { body: approved } = await ask('PUT', approval, {
      data: { approvedAt: '2026-11-20T09:30:00Z' },
      approverId: sam.id,
    });
    expect(approved['metadata']).toMatchObject({ approval: { userId: signedIn.personId } });
  });

  test('the channels and members of chat are listed for admins; agents, keys and those who are signed out get none', async () => {
    const [admin, agent] = [await deskOf({ role: 'admin' }), await deskOf()];
    const read = (path: string, of: typeof admin, cookie = of.cookie) =>
      of.desk.ask('GET', `/desk/${path}`, undefined, { cookie });
    expect((await read('channels', admin)).body['items']).toMatchObject([{ id: 'C0LAMPS', name: 'lamps' }]);
    const found = async (search: string) => (await read(`members?search=${search}`, admin)).body['items'];
    const ada = { id: 'U0ADA', name: 'Ada Lamp', handle: 'ada', teamId: 'T0ACME' };
    for (const words of ['lamp%20ada', '@ADA', 'ada@acme']) expect(await found(words)).toEqual([ada]);
    expect(await found('lamp')).toMatchObject([ada, { id: 'U0BEN' }]);
    expect(await found('ada%20ben')).toEqual([]);
    const byKey = await openDesk(admin.url);
    await byKey.ask('POST', '/desk/session', { key: admin.token });
    for (const path of ['channels', 'members']) {
      expect([(await read(path, agent)).status, (await read(path, agent, '')).status]).toEqual([403, 401]);
      expect((await byKey.ask('GET', `/desk/${path}`)).status).toBe(404);
    }
  });

  test('an API key, a sealed key and a made-up token sign nobody in', async () => {
    const { url, token, desk } = await deskOf();
    const { headers } = await (await openDesk(url)).ask('POST', '/desk/session', { key: token });
    const sealed = headers.get('set-cookie')?.split(';')[0] ?? '';
    const garbage = `${COOKIE}=dbs_000000000000_${'x'.repeat(43)}`;
    for (const cookie of [`${COOKIE}=${token}`, sealed, garbage]) {
      const as = async (method: string, path: string, body?: unknown) =>
        desk.ask(method, path, body, { cookie });
      expect((await as('GET', '/desk/session')).body).toEqual({ signIn: true, session: null });
      expect((await as('GET', '/desk/api/tickets')).status).toBe(401);
      expect((await as('POST', '/desk/form-preview', {})).status).toBe(401);
      expect((await as('GET', '/desk/picture?from=x&mark=x')).status).toBe(401);
    }
  });

  test('a session that another site of the domain planted next to the person’s own, or instead of it, does not count', async () => {
    const { desk, signedIn, cookie, ...running } = await deskOf();
    const planted = await signIn(openTables(running).db, running.workspaceId, { role: 'agent' });
    const secure = await openDesk(running.url, { signIn: true, publicUrl: 'https://desk.example' });
    const [plain, own] = [`${COOKIE}=${planted.token}`, `__Host-${COOKIE}=${signedIn.token}`];
    for (const [where, sent, who] of [
      [desk, `${plain}; ${cookie}`, undefined],
      [desk, `${cookie}; ${plain}`, undefined],
      [desk, `${cookie}; ${cookie}`, signedIn.personId],
      [secure, plain, undefined],
      [secure, `${plain}; ${own}`, signedIn.personId],
      [secure, `${own}; ${plain}`, signedIn.personId],
      [secure, `__Host-${plain}; ${own}`, undefined],
    ] as const) {
      const { body } = await where.ask('GET', '/desk/session', undefined, { cookie: sent });
      const session = body['session'] as { userId: string } | null;
      expect([sent, session?.userId]).toEqual([sent, who]);
      const { status } = await where.ask('GET', '/desk/api/tickets', undefined, { cookie: sent });
      expect([sent, status]).toEqual([sent, who === undefined ? 401 : 200]);
    }
  });

  test('signing out ends the session at the service: a copied cookie is dead', async () => {
    const { desk, cookie, call, signedIn } = await deskOf();
    const out = await desk.ask('DELETE', '/desk/session', undefined, { cookie });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringMatching(/Max-Age=0/)]);
    expect((await desk.ask('GET', '/desk/api/tickets', undefined, { cookie })).status).toBe(401);
    expect((await call('GET', '/tickets', { token: signedIn.token })).status).toBe(401);
    // Twice is no error.
    expect((await desk.ask('DELETE', '/desk/session', undefined, { cookie })).status).toBe(200);
  });

  test('signing out while the service is away says so, and keeps the cookie', async () => {
    const { desk, cookie, ...service } = await deskOf();
    await service.stop();
    const { status, body, headers } = await desk.ask('DELETE', '/desk/session', undefined, { cookie });
    expect([status, body['code'], headers.get('set-cookie')]).toEqual([503, 'SERVICE_UNAVAILABLE', null]);
  });

  test('what the role does not allow is refused in the service’s own words', async () => {
    const { desk, cookie } = await deskOf({ role: 'requester' });
    const { status, body } = await desk.ask('GET', '/desk/api/views', undefined, { cookie });
    expect([status, body['message']]).toEqual([403, expect.stringContaining('requester')]);
  });

  test('only admins have a preview of a form, and only of one that could be saved', async () => {
    const form = { ...SOMETHING_ELSE, customFields: [] as object[] };
    const draft = { form, kinds: [], answers: {}, statuses: [], tags: [] };
    const [admin, agent, requester] = [
      await deskOf({ role: 'admin' }),
      await deskOf({ role: 'agent' }),
      await deskOf({ role: 'requester' }),
    ];
    const preview = async ({ desk, cookie }: typeof admin, body: object) =>
      (await desk.ask('POST', '/desk/form-preview', body, { cookie })).status;
    expect([await preview(agent, draft), await preview(requester, draft)]).toEqual([403, 403]);
    const customField = { label: 'x', description: null, required: false, type: 'TEXT', config: {} };
    const field = { order: 0, required: false, ticketField: null, dependsOnValue: null };
    const chain = (count: number, options: object[] = []) =>
      Array.from({ length: count }, (_, at) => ({
        ...field,
        id: `f${at}`,
        parentId: at === 0 ? null : `f${at - 1}`,
        customField: { ...customField, options },
      }));
    const option = { id: 'o', value: 'o', order: 0, description: null };
    const many = (count: number) => Array.from({ length: count }, () => option);
    const names = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `t${at}`, name: 'x' }));
    expect(await preview(admin, { ...draft, form: { ...form, customFields: chain(200) } })).toBe(200);
    for (const wrong of [
      { form: { ...form, customFields: chain(201) } },
      { form: { ...form, customFields: chain(1, many(201)) } },
      { answers: Object.fromEntries(names(201).map(({ id }) => [id, 'x'])) },
      { answers: { f0: names(201).map(({ id }) => id) } },
      { answers: { f0: 'x'.repeat(3_001) } },
      { tags: names(1_001) },
    ])
      expect(await preview(admin, { ...draft, ...wrong })).toBe(400);
  });

  test('open pages hear at once that the role changed, and that the person was deactivated', async () => {
    // Without a check in between: only the service's word reaches them.
    const { desk, cookie, call, signedIn } = await deskOf({ role: 'agent' }, { lookEveryMs: 600_000 });
    const { heard, ended } = await listenTo(desk, cookie);
    const hears = (event: string) => until(event, async () => heard().includes(`event: ${event}\n`));
    await hears('ready');
    expect(heard()).not.toContain('event: access');
    const person = `/users/${signedIn.personId}`;
    await call('PUT', person, { body: { role: 'requester' } });
    await hears('access');
    await call('PUT', person, { body: { isDeactivated: true } });
    await hears('signed-out');
    await ended;
    expect((await desk.ask('GET', '/desk/session', undefined, { cookie })).headers.get('set-cookie')).toMatch(
      /Max-Age=0/,
    );
  });

  test('open pages hear at once that others may read a ticket or queue than before, and not which', async () => {
    const { desk, cookie, call } = await deskOf({ role: 'agent' }, { lookEveryMs: 3_600_000 });
    const [queue, other] = [
      (await call('POST', '/queues', { body: { name: 'A', prefix: 'AAA' } })).body.id,
      (await call('POST', '/queues', { body: { name: 'B', prefix: 'BBB' } })).body.id,
    ];
    const ticket = (await call('POST', '/tickets', { body: { title: 'A lamp', queueId: queue } })).body.id;
    const { heard } = await listenTo(desk, cookie);
    await until('the stream', async () => heard().includes('event: ready'));
    const told = () => heard().split('event: readers\ndata: {}\n').length - 1;
    const { body: ada } = await call('POST', '/users', { body: { firstName: 'Ada' } });
    // What changes nothing of it tells nothing.
    await call('PUT', `/tickets/${ticket}`, { body: { data: { title: 'Two lamps', queueId: queue } } });
    await call('PUT', `/queues/${queue}`, { body: { name: 'Lamps', visibility: 'workspace' } });
    for (const [path, body] of [
      [`/tickets/${ticket}`, { data: { queueId: other } }],
      [`/tickets/${ticket}`, { data: { private: true } }],
      [`/queues/${other}`, { autoAssignees: ada.id }],
      [`/queues/${other}`, { visibility: 'team' }],
    ] as const) {
      const before = told();
      expect((await call('PUT', path, { body })).status).toBe(200);
      await until(`news of ${JSON.stringify(body)}`, async () => told() > before);
    }
    expect(told()).toBe(4);
  });

  test('open pages hear how many notifications are unread when the number changes, or one comes as another is read', async () => {
    const { desk, cookie, call, signedIn, databaseUrl, workspaceId } = await deskOf({ role: 'agent' });
    const { heard } = await listenTo(desk, cookie);
    const hears = (unread: number) =>
      until(`${unread} unread`, async () =>
        heard().includes(`event: notifications\ndata: {"unread":${unread},`),
      );
    await hears(0);
    const ticket = (await call('POST', '/tickets', { body: { title: 'A lamp' } })).body.id;
    const row = { workspace_id: workspaceId, person_id: signedIn.personId, ticket_id: ticket };
    const { db } = openTables({ databaseUrl });
    const one = { ...row, kind: 'assigned', source_id: ticket, created_at: new Date() } as const;
    await db
      .insertInto('notification')
      .values({ ...one, id: 'ntf_1' })
      .execute();
    await hears(1);
    await db.transaction().execute(async (tx) => {
      await tx.updateTable('notification').set({ read_at: new Date() }).execute();
      await tx
        .insertInto('notification')
        .values({ ...one, id: 'ntf_2', source_id: 'another' })
        .execute();
    });
    await until('1 again', async () => heard().split('{"unread":1,').length === 3);
    const path = `/desk/api/tickets/${ticket}/read`;
    expect((await desk.ask('PUT', path, {}, { cookie })).status).toBe(200);
    await until('0 again', async () => heard().split('{"unread":0,').length === 3);
  });
});
