import { randomBytes } from 'node:crypto';

import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { transaction } from '../../src/platform/database/open.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { withoutPerson } from '../../src/service/erasure/event-body.ts';
import { writeAudit } from '../../src/service/audit/write.ts';
import { createSession } from '../../src/service/sessions/create.ts';
import { findText } from '../harness/find-text.ts';
import { until } from '../harness/until.ts';
import { type Body, type Running, sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { undoneWork } from './work.ts';
import { activate, onlyRun, readRun, settledIn } from './workflows/setup.ts';
import { anotherWorkspace, openTables } from './world.ts';

const newWorkspace = sharedService();

const OTTOLINE = {
  firstName: 'Ottoline',
  lastName: 'Quackenbush',
  email: 'otto.q@acme.example',
  image: 'https://pictures.example/otto.png',
  chatUsers: [
    {
      chatUserId: 'U0OTTOLINE',
      chatTeamId: 'T1',
      chatRealName: 'Ottoline Quackenbush',
      chatDisplayName: 'ottoq',
      chatImageUrl: 'https://pictures.example/otto-chat.png',
    },
  ],
};
const NEEDLES = [
  'Ottoline',
  'Quackenbush',
  'otto.q@',
  'U0OTTOLINE',
  'ottoq',
  'pictures.example',
  '198.51.100.7',
];
const tools = { newId: createIds(systemClock), randomBytes };

async function send(running: Running, method: string, path: string, body?: object): Promise<Body> {
  const answer = await running.call(method, path, { body });
  expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
  return answer.body;
}

/** Erases a user, and waits for the work that replaces the copies of the name. */
async function erase(running: Running, id: string): Promise<Body> {
  const erased = await send(running, 'DELETE', `/users/${id}`);
  const { db } = openTables(running);
  await until('the copies to be replaced', async () => {
    return (await undoneWork({ db }, 'erasure')) === 0 || undefined;
  });
  return erased;
}

it('what an erased person saved for themselves is deleted, what they shared stays without an owner', async () => {
  const running = await newWorkspace();
  const { db } = openTables(running);
  const [otto, ada] = [
    await signIn(db, running.workspaceId, { role: 'agent' }),
    await signIn(db, running.workspaceId, { role: 'agent' }),
  ];
  const { id: ticketId } = await send(running, 'POST', '/tickets', { title: 'T' });
  for (const { token, personId } of [otto, ada]) {
    const save = async (method: string, path: string, body: object) =>
      expect((await running.call(method, path, { token, body })).status).toBe(200);
    await save('PUT', `/tickets/${ticketId}/draft`, { content: 'Not sent' });
    for (const isShared of [true, false]) {
      const filters = { email: `${otto.personId.toUpperCase()}@acme.example`, openFilter: 'true' };
      await save('POST', '/views', { name: 'V', isShared, filters });
      const shortcut = `${personId === otto.personId ? 'otto' : 'ada'}-${String(isShared)}`;
      await save('POST', '/canned-replies', { title: 'R', shortcut, content: 'x', isShared });
    }
  }
  await erase(running, otto.personId);
  const drafts = await db
    .selectFrom('ticket_draft')
    .select('person_id')
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  expect(drafts).toEqual([{ person_id: ada.personId }]);
  for (const path of ['/views', '/canned-replies']) {
    const { items } = await send(running, 'GET', `${path}?includePersonal=true&sortBy=createdAt`);
    const left = (items as unknown as { isShared: boolean; ownerId: string }[]).map((one) => [
      one.isShared,
      one.ownerId,
    ]);
    expect([path, left]).toEqual([
      path,
      [
        [true, null],
        [true, ada.personId],
        [false, ada.personId],
      ],
    ]);
  }
  const views = await db
    .selectFrom('view')
    .select('filters')
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  for (const { filters } of views)
    expect(filters).toEqual({ requesterId: otto.personId, openFilter: 'true' });
});

async function setRole(running: Running, id: string, role: 'agent' | 'admin'): Promise<void> {
  await openTables(running).db.updateTable('person').set({ role }).where('id', '=', id).execute();
}

/** A person who has asked, written, decided, rated, reacted and signed in, and whom others have mentioned. */
async function personWithTraces(running: Running) {
  const { workspaceId } = running;
  const post = (path: string, body: object) => send(running, 'POST', path, body);
  // Nothing listens there: the events wait.
  await post('/webhooks', { url: 'http://127.0.0.1:9/hook', eventTypes: ['Ticket', 'Message'] });
  const { id } = await post('/users', OTTOLINE);
  const other = (await post('/users', { firstName: 'Bo' })).id;
  const type = await post('/request-types', {
    name: 'Laptop',
    titleTemplate: '{{requestType}} for {{requester}}',
  });
  const mention = `Ask [@Ottoline Quackenbush](user:${id}) about it`;
  const asked = await post('/tickets', { requesterId: id, requestTypeId: type.id, description: 'Broken' });
  expect(asked.title).toBe('Laptop for Ottoline Quackenbush');
  const worked = await post('/tickets', {
    title: 'Other',
    description: mention,
    requesterId: other,
    assigneeId: id,
    approverIds: [id],
    followers: [{ id }],
  });
  await send(running, 'PUT', `/tickets/${worked.id}`, {
    data: { approvedAt: new Date().toISOString() },
    approverId: id,
  });
  const wrote = await post('/ticket-messages', {
    ticketId: asked.id,
    content: 'It is **broken**',
    authorId: id,
  });
  await post('/ticket-messages', { ticketId: asked.id, content: mention, authorId: other });
  const ann = await signIn(openTables(running).db, workspaceId, { role: 'agent', name: 'Ann' });
  const byAnn = async (method: string, path: string, body: object) => {
    const saved = await running.call(method, path, { token: ann.token, body });
    expect([path, saved.status]).toEqual([path, 200]);
    return saved.body.id;
  };
  const draft = await byAnn('POST', `/tickets/${worked.id}/reply-drafts`, { content: mention });
  await byAnn('PUT', `/tickets/${worked.id}/draft`, { content: mention });
  await byAnn('POST', '/canned-replies', { title: 'Who', shortcut: 'who', content: mention, isShared: true });
  const titled = (await post('/tickets', { description: mention, requesterId: other })).id;
  await send(running, 'PUT', `/tickets/${titled}`, { data: { title: 'Ask whom?' } });
  await post('/ticket-messages', {
    ticketId: worked.id,
    content: 'Ottoline Quackenbush is not reachable in Slack.',
    private: true,
    chatChannelId: 'deskbridge',
    chatTimestamp: 'unreachable U0OTTOLINE',
  });
  await post('/ticket-messages', { ticketId: asked.id, content: 'Hi Ottoline, restart it.' });
  await send(running, 'PUT', `/ticket-messages/${wrote.id}/reactions`, { emoji: 'eyes', authorId: id });
  await post(`/tickets/${asked.id}/csat`, { score: 5, feedback: 'Fine', userId: id });
  await send(running, 'PUT', `/tickets/${worked.id}/claim`, { userId: id });
  const queue = (await running.call('GET', '/queues')).body.items[0]?.id ?? '';
  await send(running, 'PUT', `/queues/${queue}`, { autoAssignees: id });
  await transaction(openTables(running).db, async (tx) => {
    const now = systemClock.now();
    const session = { workspaceId, personId: id, address: '198.51.100.7', userAgent: 'Firefox' };
    await createSession(tx, tools, now, session);
    const account = {
      issuer: 'https://acme.example',
      subject: 'U0OTTOLINE',
      created_at: now,
      last_used_at: now,
    };
    await tx
      .insertInto('identity')
      .values({ workspace_id: workspaceId, person_id: id, ...account })
      .execute();
    await writeAudit(
      tx,
      { newId: tools.newId, now },
      {
        workspaceId,
        action: 'sign-in.refused',
        subjectId: id,
        reason: 'The address is not verified.',
        detail: { email: 'Otto.Q@acme.example', provider: 'slack' },
      },
    );
  });
  return { id, asked: asked.id, worked: worked.id, wrote: wrote.id, queue, draft, ann: ann.token };
}

it('after the erasure of a person no column of the service has their name, e-mail address or chat account', async () => {
  const running = await newWorkspace();
  const { id } = await personWithTraces(running);
  expect((await findText(running.databaseUrl, ['service'], NEEDLES)).length).toBeGreaterThan(12);

  expect(await erase(running, id)).toMatchObject({
    id,
    firstName: 'Deleted',
    lastName: 'user',
    email: null,
    image: null,
    idpId: null,
    chatUsers: [],
    erasedAt: expect.stringMatching(/^2/) as string,
  });
  expect(await findText(running.databaseUrl, ['service'], NEEDLES)).toEqual([]);
});

it('what an erased person wrote, asked and decided is still there, and theirs', async () => {
  const running = await newWorkspace();
  const { id, asked, worked, wrote, queue } = await personWithTraces(running);
  await erase(running, id);
  expect(await send(running, 'GET', `/ticket-messages/${wrote}`)).toMatchObject({
    content: 'It is **broken**',
    authorId: id,
    author: { firstName: 'Deleted', lastName: 'user', email: null, image: null },
    reactions: [{ authorId: id }],
  });
  expect(await send(running, 'GET', `/tickets/${asked}`)).toMatchObject({
    title: 'Laptop for Deleted user',
    requesterId: id,
    csat: [{ score: 5, feedback: 'Fine' }],
  });
  expect(await send(running, 'GET', `/tickets/${worked}`)).toMatchObject({
    assigneeId: id,
    description: `Ask [@Deleted user](user:${id}) about it`,
    followers: [],
    metadata: { approval: { userId: id }, claim: null },
  });
  expect(await send(running, 'GET', `/queues/${queue}`)).toMatchObject({ autoAssignees: [] });
});

it('a drafted reply that mentions an erased person is sent without their name', async () => {
  const running = await newWorkspace();
  const { id, draft, ann } = await personWithTraces(running);
  await erase(running, id);
  const sent = await running.call('POST', `/reply-drafts/${draft}/send`, {
    token: ann,
    body: { version: 1 },
  });
  expect([sent.status, sent.body.content]).toEqual([200, `Ask [@Deleted user](user:${id}) about it`]);
});

it('a title keeps the words that are a name of an erased person, other than where a form or a mention named them', async () => {
  const running = await newWorkspace();
  const post = (path: string, body: object) => send(running, 'POST', path, body);
  const { db } = openTables(running);
  const { id } = await post('/users', { firstName: 'Will' });
  const { id: other } = await post('/users', { firstName: 'Bo' });
  const { id: single } = await post('/users', { firstName: 'Willow' });
  const { id: requestTypeId } = await post('/request-types', {
    name: 'Laptop',
    titleTemplate: '{{requestType}} for {{requester}}',
  });
  // Nothing listens there: the events wait.
  await post('/webhooks', { url: 'http://127.0.0.1:9/hook', eventTypes: ['Ticket'] });
  const early = await post('/tickets', { requestTypeId, requesterId: id, description: 'Broken' });
  expect(early.title).toBe('Laptop for Will');
  await db.updateTable('person').set({ last_name: 'Price' }).where('id', '=', id).execute();
  const description = `Ask [@Will Price](user:${id}) what it will cost`;
  const cases: [object, string][] = [
    [{ title: 'Price list is wrong', description, requesterId: other }, 'Price list is wrong'],
    [{ title: 'Price list is wrong', description, requesterId: id }, 'Price list is wrong'],
    [{ description, requesterId: other }, `Ask [@Deleted user](user:${id}) what it will cost`],
    [
      { title: 'Ask @Price, he will know', description, requesterId: other },
      'Ask @Deleted user, he will know',
    ],
    [{ title: 'Where is Will Price?', description, requesterId: other }, 'Where is Deleted user?'],
    [{ title: 'Where is Will Price?', requesterId: other }, 'Where is Will Price?'],
    [{ requestTypeId, requesterId: id, description: 'Broken' }, 'Laptop for Deleted user'],
    [{ requestTypeId, requesterId: single, description: 'Broken' }, 'Laptop for Willow'],
  ];
  const tickets: string[] = [];
  for (const [ticket] of cases) {
    const made = await post('/tickets', ticket);
    tickets.push(made.id);
    // The earlier title is in the activity.
    await send(running, 'PUT', `/tickets/${made.id}`, { data: { title: 'Something else' } });
    await send(running, 'PUT', `/tickets/${made.id}`, { data: { title: made.title } });
  }
  await post('/tickets', { parentId: tickets.at(-2), title: 'A child' });
  await erase(running, id);
  const events = await db
    .selectFrom('event')
    .select('body')
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  /** The titles of a ticket in all events: its own, those of before and after a change, and of a parent. */
  const titlesIn = (of: string) => {
    const titles: unknown[] = [];
    for (const { body } of events) {
      const { data, changes } = JSON.parse(body, (_field, value: unknown) => {
        const { id: ticketId, title } = (value ?? {}) as { id?: unknown; title?: unknown };
        if (ticketId === of) titles.push(title);
        return value;
      }) as { data: { id: string }; changes: { title?: string[] } | null };
      if (data.id === of) titles.push(...(changes?.title ?? []));
    }
    return [...new Set(titles)].filter((title) => title !== undefined && title !== 'Something else');
  };
  for (const [at, [ticket, title]] of cases.entries()) {
    // An event has no whole name, whoever wrote it.
    const inEvents = title.replace('Will Price', 'Deleted user');
    expect([ticket, titlesIn(tickets[at] ?? '')]).toEqual([ticket, [inEvents]]);
    const now = (await send(running, 'GET', `/tickets/${tickets[at]}`)).title;
    const { rows } = await sql<{ title: string }>`
      select old_value as title from ticket_activity
      where ticket_id = ${tickets[at]} and field = 'title' and old_value <> 'Something else'`.execute(db);
    expect([ticket, now, rows]).toEqual([ticket, title, [{ title }]]);
  }
  expect(titlesIn(early.id)).toEqual(['Laptop for Deleted user']);
});

it('a name that people typed into a message stays there, and so does the name of somebody else', async () => {
  const running = await newWorkspace();
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  const sister = await send(running, 'POST', '/users', { firstName: 'Octavia', lastName: 'Quackenbush' });
  const ticket = await send(running, 'POST', '/tickets', { title: 'T', requesterId: sister.id });
  const content = 'Ottoline Quackenbush told me so';
  const { id: messageId } = await send(running, 'POST', '/ticket-messages', {
    ticketId: ticket.id,
    content,
    authorId: sister.id,
  });
  await erase(running, id);
  expect((await send(running, 'GET', `/ticket-messages/${messageId}`)).content).toBe(content);
  expect((await send(running, 'GET', `/users/${sister.id}`)) as object).toMatchObject({
    lastName: 'Quackenbush',
  });
  const found = await send(running, 'GET', '/tickets?search=quackenbush');
  expect(found.items.map((one) => one.id)).toEqual([ticket.id]);
  const words = await openTables(running)
    .db.selectFrom('search_word')
    .select('word')
    .where('workspace_id', '=', running.workspaceId)
    .execute();
  expect(words.map(({ word }) => word)).toContain('quackenbush');
});

it('an erased person is found by nothing but their id, and their accounts lead to a new user', async () => {
  const running = await newWorkspace();
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  await erase(running, id);
  for (const query of ['', '?search=deleted', `?email=${OTTOLINE.email}`, '?chatUserId=U0OTTOLINE']) {
    const { items } = await send(running, 'GET', `/users${query}`);
    expect([query, items.filter((one) => one.id === id)]).toEqual([query, []]);
  }
  for (const query of [`?set=${id}`, '?erasedFrom=2020-01-01T00:00:00Z'])
    expect((await send(running, 'GET', `/users${query}`)).items.map((one) => one.id)).toEqual([id]);
  expect((await send(running, 'GET', '/users?erasedFrom=2999-01-01T00:00:00Z')).items).toEqual([]);
  const again = await send(running, 'POST', '/users', OTTOLINE);
  expect(again.id).not.toBe(id);
  expect(await send(running, 'GET', `/users/${id}`)).toMatchObject({ lastName: 'user', email: null });
});

it('nothing new can be assigned to an erased person or written in their name', async () => {
  const running = await newWorkspace();
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  const ticket = await send(running, 'POST', '/tickets', { title: 'T', approverIds: [id] });
  const { id: ada } = await send(running, 'POST', '/users', { firstName: 'Ada' });
  await erase(running, id);
  for (const [method, path, body] of [
    ['POST', '/tickets', { title: 'T', assigneeId: id }],
    ['POST', '/tickets', { title: 'T', requesterId: id }],
    ['PUT', `/tickets/${ticket.id}`, { data: { assigneeId: id } }],
    ['PUT', `/tickets/${ticket.id}`, { data: { followers: [{ id }] } }],
    ['POST', '/ticket-messages', { ticketId: ticket.id, content: 'x', authorId: id }],
    ['POST', `/tickets/${ticket.id}/csat`, { score: 1, userId: id }],
  ] as const)
    expect([path, (await running.call(method, path, { body })).status]).toEqual([path, 422]);
  // One who approves already may stay beside others.
  const both = await running.call('PUT', `/tickets/${ticket.id}`, {
    body: { data: { approverIds: [id, ada] } },
  });
  expect([both.status, both.body.approvers]).toEqual([200, [{ id }, { id: ada }]]);
});

it('an erasure is recorded once, however often it is repeated, with who did it and no name', async () => {
  const running = await newWorkspace();
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  const first = await erase(running, id);
  expect(await erase(running, id)).toEqual(first);
  const { items } = await send(running, 'GET', '/audit-entries?action=user.erased');
  expect(items).toMatchObject([{ subjectId: id, actorKeyId: expect.stringMatching(/^key_/) as string }]);
});

it('the last admin cannot be erased, nor can two admins erase each other at once', async () => {
  const running = await newWorkspace();
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  await setRole(running, id, 'admin');
  const refused = await running.call('DELETE', `/users/${id}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  const { id: second } = await send(running, 'POST', '/users', { firstName: 'Ada' });
  await setRole(running, second, 'admin');
  const both = await Promise.all([id, second].map((one) => running.call('DELETE', `/users/${one}`)));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('only admins of the workspace erase, and the user of a valid key only after the key', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  const other = await anotherWorkspace(running);
  const status = async (user: string, token?: string) =>
    (await call('DELETE', `/users/${user}`, token ? { token } : {})).status;
  expect(await status(id, await running.key('agent'))).toBe(403);
  expect(await status(id, other.token)).toBe(404);
  const key = (await send(running, 'POST', '/api-keys', {
    name: 'Quackenbush laptop',
    role: 'agent',
  })) as Body & {
    userId: string;
  };
  expect(await status(key.userId)).toBe(409);
  await send(running, 'DELETE', `/api-keys/${key.id}`);
  expect(await status(key.userId)).toBe(200);
  const stored = openTables(running).db.selectFrom('api_key').select('name').where('id', '=', key.id);
  expect((await stored.executeTakeFirstOrThrow()).name).toBe('Deleted user');
});

it('an event loses the erased person’s names and accounts as whole words, and keeps what only contains them', () => {
  const erased = {
    workspaceId: 'wsp_1',
    personId: 'usr_al',
    names: ['Al Ray (IT)', 'Al', 'Al Ray'],
    addresses: ['al@acme.example', 'U0AL'],
  };
  const text =
    'Also for Al, Al Ray, Al Ray (IT), Al Rayburn: al@acme.example, hal@acme.example, <@U0AL>, <@U0ALICE>';
  const body = JSON.stringify({ type: 'Message', data: { content: text, authorId: 'usr_1' } });
  const { type, data } = JSON.parse(withoutPerson(body, erased)) as {
    type: string;
    data: { content: string };
  };
  expect([type, data.content]).toEqual([
    'Message',
    'Also for Deleted user, Deleted user, Deleted user, Deleted user Rayburn: Deleted user, hal@acme.example, <@Deleted user>, <@U0ALICE>',
  ]);
});

/** A workflow that writes the title of a new ticket, after a line break, between values that are not texts. */
const WRITES_TITLE = {
  steps: {
    opened: ['Opened', 'ticket.created'],
    note: ['Note', 'message.note', { content: 'Opened:\n{{ticket.title}}' }],
  },
  leads: [['opened', 'note']],
} as const;

const textless = (values: object | null) =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => typeof value !== 'string'));

it.each([
  ['Ada', 'Lovelace'],
  ['Robert', 'Downey Jr.'],
  ['Al', 'Ray (IT)'],
  ['Back\\slash', '"Quoted"'],
  ...['true', 'false', 'null', '42', 'n', 't', 'u'].map((name) => [name, null] as const),
])('the run of a workflow loses the name of an erased person in its texts alone: %s %s', async (...names) => {
  const [firstName, lastName] = names;
  const running = await newWorkspace();
  await activate(running, WRITES_TITLE);
  const { id } = await send(running, 'POST', '/users', { firstName, lastName });
  const title = `${names.filter(Boolean).join(' ')}: laptop`;
  await send(running, 'POST', '/tickets', { title, requesterId: id });
  await settledIn(running);
  const before = (await onlyRun(running)).steps;

  await erase(running, id);
  const after = (await onlyRun(running)).steps;
  expect(after.map(({ inputs }) => inputs)).toContainEqual({ content: 'Opened:\nDeleted user: laptop' });
  expect(after.map(({ outputs }) => textless(outputs))).toEqual(
    before.map(({ outputs }) => textless(outputs)),
  );
  const { rows } = await sql`select body from work where body::text like ${`%${id}%`}`.execute(
    openTables(running).db,
  );
  expect(rows).toEqual([]);
});

it('an erasure covers more runs of workflows than one statement reads', async () => {
  const running = await newWorkspace();
  const { db } = openTables(running);
  await activate(running, WRITES_TITLE);
  const { id } = await send(running, 'POST', '/users', OTTOLINE);
  await send(running, 'POST', '/tickets', { title: 'Of Ottoline Quackenbush', requesterId: id });
  await settledIn(running);
  const { id: first } = await onlyRun(running);
  const copies = Array.from({ length: 1_200 }, (_, at) => `${first}-${String(at).padStart(4, '0')}`);
  await sql`insert into workflow_run (workspace_id, id, workflow_id, version, trigger_step_id, event_id, ticket_id, state,
      chain, created_at, updated_at, ended_at)
    select workspace_id, copy, workflow_id, version, trigger_step_id, copy, ticket_id, state, chain, created_at, updated_at,
      ended_at from workflow_run, unnest(${copies}::text[]) copy where id = ${first}`.execute(db);
  await sql`insert into workflow_run_step (workspace_id, run_id, step_id, position, state, error, began_at)
    select workspace_id, copy, step_id, position, state, case copy when ${copies.at(-1)} then 'Not Ottoline' end, began_at
    from workflow_run_step, unnest(${copies}::text[]) copy where run_id = ${first} and step_id = 'note'`.execute(
    db,
  );
  const last = copies.at(-1) ?? '';
  expect((await readRun(running, last)).steps).toMatchObject([{ error: 'Not Ottoline' }]);
  await erase(running, id);
  expect((await readRun(running, last)).steps).toMatchObject([{ error: 'Not Deleted user' }]);
});
