import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { Notification, ScheduledReply } from '../../src/contract/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createSealing } from '../../src/platform/sealing.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { createPostgresStorage } from '../../src/service/files/postgres-storage.ts';
import { pruneFiles } from '../../src/service/files/retention.ts';
import type { Tools } from '../../src/service/handler.ts';
import { sendScheduledReplies } from '../../src/service/scheduled-replies/send.ts';
import { MovableClock } from './clock.ts';
import { sharedService, TEST_ENCRYPTION_KEY } from './harness.ts';
import { type SignedIn, signIn } from './signed-in.ts';
import { create, person, put, queue, statuses } from './tickets/requests.ts';
import { uploadFile } from './upload.ts';
import { planningEngine } from './work.ts';
import { openTables } from './world.ts';

const clock = new MovableClock();
const newWorkspace = sharedService({ clock });
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The place of a message that was sent in chat so long ago. */
const sentInChat = (agoMs: number) => ({
  chatChannelId: 'C0HELP',
  chatTimestamp: ((clock.now().getTime() - agoMs) / 1_000).toFixed(6),
});

/** A ticket of Ada's; Mira and Sam are of its team, Fay is of another one. */
async function setUp() {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const tables = openTables(running);
  const { db } = tables;
  const queueId = (await call('GET', '/queues')).body.items[0]?.id ?? '';
  const otherQueue = await queue(running, 'OTH');
  const signedIn = (role: 'agent' | 'admin', name: string, queueIds: string[] | null) =>
    signIn(db, workspaceId, { role, name, queueIds, now: clock.now() });
  const people = {
    mira: await signedIn('agent', 'Mira', [queueId]),
    sam: await signedIn('agent', 'Sam', [queueId]),
    fay: await signedIn('agent', 'Fay', [otherQueue]),
    admin: await signedIn('admin', 'Alma', null),
  };
  const ada = await person(running, 'Ada');
  const ticket = await create(running, { queueId, requesterId: ada });
  const newId = createIds(clock);
  const log = createLog({ level: 'silent', pretty: false });
  const as = ({ token }: SignedIn, method: string, path: string, body?: object) =>
    call(method, path, { token, body });
  const schedule = async (more: object = {}, who = people.mira): Promise<ScheduledReply> => {
    const body = { ticketId: ticket.id, content: 'It is **fixed**', delaySeconds: 60, ...more };
    const answer = await as(who, 'POST', '/scheduled-replies', body);
    expect([answer.status, answer.body]).toEqual([200, answer.body]);
    return answer.body as unknown as ScheduledReply;
  };
  const listed = async (who = people.mira, query = '') => {
    const { items } = (await as(who, 'GET', `/scheduled-replies${query}`)).body;
    return items as unknown as ScheduledReply[];
  };
  const contents = async (id = ticket.id) =>
    (await call('GET', `/ticket-messages?ticketId=${id}&sortBy=createdAt`)).body.items.map(
      ({ content, authorId }) => [content, authorId],
    );
  const write = async (authorId: string, more: object = {}) => {
    const body = { ticketId: ticket.id, content: 'One more thing', authorId, ...more };
    expect((await call('POST', '/ticket-messages', { body })).status).toBe(200);
  };
  const inbox = async (who: SignedIn) =>
    ((await as(who, 'GET', '/notifications')).body.items as unknown as Notification[]).map(
      ({ kind }) => kind,
    );
  const tools: Tools = {
    newId,
    random: systemRandom,
    randomBytes,
    publicUrl: 'http://127.0.0.1',
    sealing: createSealing([TEST_ENCRYPTION_KEY]),
    webhookUrlAllowed: () => true,
  };
  const send = () => sendScheduledReplies(db, planningEngine(tables), { tools, log, now: clock.now() });
  /** Lets the time pass until what was scheduled with the usual delay is due, and sends it. */
  const passAndSend = async () => {
    clock.pass(MINUTE_MS);
    await send();
  };
  return {
    ...running,
    db,
    queueId,
    otherQueue,
    people,
    ada,
    ticket,
    newId,
    as,
    schedule,
    listed,
    contents,
    write,
    inbox,
    send,
    passAndSend,
  };
}

describe('a scheduled reply', () => {
  it('is no message until its time; then it is one of its author, with its file, and is gone', async () => {
    const { call, db, people, ticket, schedule, listed, contents, send, newId, ...running } = await setUp();
    const { mira } = people;
    const file = (await uploadFile(running, `/tickets/${ticket.id}/files`, { token: mira.token })).body;
    const sendAt = new Date(clock.now().getTime() + 2 * DAY_MS).toISOString();
    const reply = await schedule({ delaySeconds: null, sendAt, fileIds: [file.id] });
    expect(reply).toMatchObject({
      ticketId: ticket.id,
      authorId: mira.personId,
      content: 'It is **fixed**',
      files: [{ id: file.id, name: 'note.txt' }],
      sendAt,
      statusId: null,
      heldBecause: null,
      heldDetail: null,
    });
    expect(await listed(mira, `?ticketId=${ticket.code}`)).toEqual([reply]);
    clock.pass(2 * DAY_MS - 1);
    await send();
    expect(await contents()).toEqual([]);
    expect(await listed()).toEqual([reply]);
    // Its file is not removed as one that nobody needs.
    const storage = createPostgresStorage(db, newId);
    expect(await pruneFiles(db, storage, clock.now())).toMatchObject({ files: 0 });
    clock.pass(1);
    await send();
    const [message] = (await call('GET', `/ticket-messages?ticketId=${ticket.id}`)).body.items;
    expect(message).toMatchObject({
      content: 'It is **fixed**',
      authorId: mira.personId,
      source: 'WEB',
      private: false,
      createdAt: sendAt,
      files: [{ id: file.id }],
    });
    expect(await listed()).toEqual([]);
    expect((await call('GET', `/tickets/${ticket.id}`)).body.respondedAt).toBe(sendAt);
    await send();
    expect(await contents()).toHaveLength(1);
  });

  it('can be changed, sent at once and undone until it is sent; then it is not found', async () => {
    const { as, people, schedule, listed, contents, send, passAndSend } = await setUp();
    const { mira } = people;
    const [undone, changed] = [await schedule(), await schedule({ content: 'Tomorow', delaySeconds: 3_600 })];
    const undo = () => as(mira, 'DELETE', `/scheduled-replies/${undone.id}`);
    expect((await undo()).status).toBe(200);
    expect((await undo()).status).toBe(404);
    const change = (body: object) => as(mira, 'PUT', `/scheduled-replies/${changed.id}`, body);
    expect((await change({ content: 'Tomorrow' })).body).toMatchObject({
      content: 'Tomorrow',
      sendAt: changed.sendAt,
    });
    await passAndSend();
    expect(await contents()).toEqual([]);
    expect((await change({ delaySeconds: 0 })).status).toBe(200);
    await send();
    expect(await contents()).toEqual([['Tomorrow', mira.personId]]);
    expect((await change({ content: 'Too late' })).status).toBe(404);
    expect(await listed()).toEqual([]);
    for (const wrong of [{}, { delaySeconds: 1, sendAt: '2027-01-01T00:00:00Z' }, { delaySeconds: 3_601 }])
      expect(
        (await as(mira, 'POST', '/scheduled-replies', { ticketId: 'HELP-1', content: 'x', ...wrong })).status,
      ).toBe(400);
  });

  it.each<[string, (world: Awaited<ReturnType<typeof setUp>>) => Promise<unknown>]>([
    ['requester-replied', ({ write, ada }) => write(ada)],
    // It comes late: the bridge was down, for example.
    ['requester-replied', ({ write, ada }) => write(ada, sentInChat(HOUR_MS))],
    [
      'ticket-closed',
      async (world) => put(world, world.ticket.id, { statusId: (await statuses(world))['Closed'] }),
    ],
    ['ticket-closed', (world) => world.call('DELETE', `/tickets/${world.ticket.id}`)],
    [
      'author-left',
      ({ call, people }) => call('PUT', `/users/${people.mira.personId}`, { body: { isDeactivated: true } }),
    ],
    [
      'refused',
      ({ call, people, otherQueue }) =>
        call('PUT', `/users/${people.mira.personId}`, { body: { queueIds: [otherQueue] } }),
    ],
  ])('is held back, %s, and says so to its author and the team', async (heldBecause, happens) => {
    const world = await setUp();
    const { people, schedule, listed, contents, inbox, passAndSend, ada } = world;
    await schedule();
    clock.pass(1_000);
    await happens(world);
    await passAndSend();
    await passAndSend();
    expect(await contents()).not.toContainEqual(['It is **fixed**', people.mira.personId]);
    expect(await listed(people.sam)).toMatchObject([{ heldBecause, content: 'It is **fixed**' }]);
    const [held] = await listed(people.sam);
    expect(held?.heldDetail).toBe(
      heldBecause === 'refused'
        ? 'Only people who take part in this ticket and agents of its queue may do this.'
        : null,
    );
    if (heldBecause !== 'author-left')
      expect((await inbox(people.mira)).filter((kind) => kind === 'reply-held')).toHaveLength(1);
    expect(ada).not.toBe('');
  });

  it('is not held back by what the requester wrote before, by notes and by other people; and is sent after all at another time', async () => {
    const world = await setUp();
    const { as, people, ada, ticket, write, schedule, listed, contents, send, passAndSend } = world;
    await write(ada);
    await schedule();
    await write(people.sam.personId);
    await write(ada, { private: true });
    await passAndSend();
    expect((await contents()).at(-1)).toEqual(['It is **fixed**', people.mira.personId]);

    const { id } = await schedule({ content: 'And this' });
    clock.pass(1_000);
    await write(ada);
    await passAndSend();
    expect(await listed()).toMatchObject([{ id, heldBecause: 'requester-replied' }]);
    const released = await as(people.mira, 'PUT', `/scheduled-replies/${id}`, { delaySeconds: 0 });
    expect(released.body).toMatchObject({ heldBecause: null });
    await send();
    expect((await contents()).at(-1)).toEqual(['And this', people.mira.personId]);

    // A ticket that had ended before is answered knowingly.
    await put(world, ticket.id, { statusId: (await statuses(world))['Closed'] });
    await schedule({ content: 'A last word' });
    await passAndSend();
    expect((await contents()).at(-1)).toEqual(['A last word', people.mira.personId]);
  });

  it('sets the status that was chosen with it as it is sent, and not if it is held back', async () => {
    const world = await setUp();
    const { call, people, ticket, ada, write, schedule, passAndSend, send, as } = world;
    const { Closed: statusId } = await statuses(world);
    const label = async () => (await call('GET', `/tickets/${ticket.id}`)).body.status.label;
    const { id } = await schedule({ statusId });
    expect(await label()).toBe('Open');
    clock.pass(1_000);
    await write(ada);
    await passAndSend();
    expect(await label()).toBe('Open');
    await as(people.mira, 'PUT', `/scheduled-replies/${id}`, { delaySeconds: 0 });
    await send();
    expect(await label()).toBe('Closed');
    const { items } = (await call('GET', `/tickets/${ticket.id}/activity`)).body;
    expect(items.at(-1)).toMatchObject({
      field: 'statusId',
      actor: { kind: 'person', id: people.mira.personId },
    });
    const body = { ticketId: ticket.id, content: 'x', delaySeconds: 60, statusId: 'sts_none' };
    expect((await as(people.mira, 'POST', '/scheduled-replies', body)).status).toBe(422);
  });

  it('is seen by its author and the team, changed by its author, deleted by author and admins; a key makes none', async () => {
    const { as, call, people, ticket, schedule, listed } = await setUp();
    const { mira, sam, fay, admin } = people;
    const { id } = await schedule();
    const path = `/scheduled-replies/${id}`;
    expect(await Promise.all([mira, sam, fay, admin].map(async (who) => (await listed(who)).length))).toEqual(
      [1, 1, 0, 1],
    );
    const statusesOf = async (method: string, body?: object) => [
      (await as(fay, method, path, body)).status,
      (await as(sam, method, path, body)).status,
    ];
    expect(await statusesOf('PUT', { content: 'Not mine' })).toEqual([404, 403]);
    expect(await statusesOf('DELETE')).toEqual([404, 403]);
    expect((await as(admin, 'PUT', path, { content: 'Not mine' })).status).toBe(403);
    expect((await as(admin, 'DELETE', path)).status).toBe(200);
    const own = await schedule();
    expect((await as(mira, 'DELETE', `/scheduled-replies/${own.id}`)).status).toBe(200);
    expect((await call('GET', '/audit-entries?action=message.deleted')).body.items).toMatchObject([
      { actorId: admin.personId, subjectId: path.split('/').at(-1) },
    ]);
    const body = { ticketId: ticket.id, content: 'x', delaySeconds: 60 };
    expect((await as(fay, 'POST', '/scheduled-replies', body)).status).toBe(403);
    expect((await call('POST', '/scheduled-replies', { body })).status).toBe(403);
    const foreign = { ...body, fileIds: ['fil_none'] };
    expect(await as(mira, 'POST', '/scheduled-replies', foreign)).toMatchObject({
      status: 422,
      body: { issues: [{ path: 'fileIds' }] },
    });
  });

  it('goes along with a merge, with its file', async () => {
    const world = await setUp();
    const { call, people, ticket, ada, queueId, schedule, listed, contents, passAndSend } = world;
    const target = await create(world, { queueId, requesterId: ada, title: 'Target' });
    const upload = await uploadFile(world, `/tickets/${ticket.id}/files`, { token: people.mira.token });
    const { id } = await schedule({ fileIds: [upload.body.id] });
    await call('POST', `/tickets/${ticket.id}/merge`, { body: { intoId: target.id } });
    expect(await listed(people.mira, `?ticketId=${target.id}`)).toMatchObject([{ id, ticketId: target.id }]);
    await passAndSend();
    expect(await listed()).toEqual([]);
    expect(await contents(target.id)).toEqual([['It is **fixed**', people.mira.personId]]);
    const [message] = (await call('GET', `/ticket-messages?ticketId=${target.id}`)).body.items;
    expect(message).toMatchObject({ files: [{ id: upload.body.id }] });
    // What is scheduled on a merged ticket is the other one's.
    expect(await schedule({ content: 'Later' })).toMatchObject({ ticketId: target.id });
  });

  it('is sent once by several processes at the same time', async () => {
    const { schedule, listed, contents, send } = await setUp();
    for (let index = 0; index < 5; index++) await schedule({ content: `Reply ${index}` });
    clock.pass(MINUTE_MS);
    await Promise.all([send(), send(), send()]);
    expect((await contents()).map(([content]) => content).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((index) => `Reply ${index}`),
    );
    expect(await listed()).toEqual([]);
  });
});
