import { describe, expect, it } from 'vitest';

import { decideNotices } from '../../../src/contract/index.ts';
import { ofChange, ofMessage } from '../../../src/service/notifications/decide.ts';
import { until } from '../../harness/until.ts';
import { startTestService } from '../harness.ts';
import { openTables } from '../world.ts';
import { mention, openOffice, sharedOffices } from './office.ts';

const newOffice = sharedOffices();

type Office = Awaited<ReturnType<typeof newOffice>>;
type Name = keyof Office['people'];

/** What the agent Mira, to whom the ticket is assigned, and its follower Fay find in their inboxes. */
const CASES: [
  string,
  (office: Office, ticket: string) => Promise<unknown>,
  Partial<Record<Name, string[]>>,
][] = [
  [
    'a reply of the requester: the assignee and followers',
    ({ post, people }, ticketId) =>
      post('/ticket-messages', { ticketId, content: 'Any news?' }, people.ada.token),
    { mira: ['replied'], fay: ['replied'] },
  ],
  [
    'an internal note: only the assignee',
    ({ post, people }, ticketId) =>
      post('/ticket-messages', { ticketId, content: 'Hm.', private: true }, people.sam.token),
    { mira: ['noted'] },
  ],
  [
    'a mention: those it names, and them not of the reply as well',
    ({ post, people, ids }, ticketId) =>
      post(
        '/ticket-messages',
        { ticketId, content: `${mention(ids.sam)} and ${mention(ids.mira)}, please` },
        people.ada.token,
      ),
    { mira: ['mentioned'], sam: ['mentioned'], fay: ['replied'] },
  ],
  [
    'an own message: not its author',
    ({ post, people }, ticketId) =>
      post('/ticket-messages', { ticketId, content: 'Working on it.' }, people.mira.token),
    { fay: ['replied'] },
  ],
  [
    'an assignment: the new assignee and the one before',
    ({ put, people, ids }, id) => put(`/tickets/${id}`, { data: { assigneeId: ids.fay } }, people.sam.token),
    { fay: ['assigned'], mira: ['reassigned'] },
  ],
  [
    'an agent who takes a ticket: only the one before',
    ({ put, people, ids }, id) => put(`/tickets/${id}`, { data: { assigneeId: ids.sam } }, people.sam.token),
    { mira: ['reassigned'] },
  ],
  [
    'an agent who takes a ticket in chat, where a key writes in their name',
    ({ put, ids }, id) => put(`/tickets/${id}`, { data: { assigneeId: ids.sam }, actorId: ids.sam }),
    { mira: ['reassigned'] },
  ],
  [
    'a decision: the assignee and followers',
    async ({ put, people, ids }, id) =>
      put(
        `/tickets/${id}`,
        { data: { approvedAt: '2026-11-20T09:30:00Z' }, approverId: ids.sam },
        people.sam.token,
      ),
    { mira: ['decided'], fay: ['decided'] },
  ],
  [
    'a question for an approval: the approvers, once',
    async ({ put, people, ids }, id) => {
      await put(`/tickets/${id}`, { data: { approverIds: [ids.sam] } }, people.mira.token);
      await put(`/tickets/${id}`, { data: { approverIds: [] } }, people.mira.token);
      await put(`/tickets/${id}`, { data: { approverIds: [ids.sam] } }, people.mira.token);
    },
    { sam: ['approval'] },
  ],
  [
    'a change that chat does not announce either: nobody',
    ({ put, people }, id) => put(`/tickets/${id}`, { data: { title: 'New' } }, people.sam.token),
    {},
  ],
];

describe('an inbox', () => {
  it.each(CASES)('is told of %s', async (_, act, expected) => {
    const office = await newOffice();
    const { post, people, ids, fill, kinds } = office;
    const { id } = await post('/tickets', {
      title: 'Printer',
      requesterId: ids.ada,
      assigneeId: ids.mira,
      authorId: ids.mira,
      followers: [{ id: ids.fay }],
    });
    await act(office, id);
    await fill();
    const found = await Promise.all(
      Object.entries(people).map(async ([name, one]) => [name, await kinds(one)] as const),
    );
    expect(Object.fromEntries(found.filter(([, told]) => told.length > 0))).toEqual(expected);
  });

  it('says who closed a ticket that is reopened, and calls that by its name', async () => {
    const { post, put, people, ids, fill, inbox, call } = await newOffice();
    const { body } = await call('GET', '/statuses');
    const statuses = body.items as unknown as { id: string; statusGroup: { label: string } }[];
    const ofGroup = (label: string) => statuses.find((one) => one.statusGroup.label === label)?.id;
    const { id } = await post('/tickets', { title: 'Lamp', assigneeId: ids.mira, authorId: ids.mira });
    await put(`/tickets/${id}`, { data: { statusId: ofGroup('Closed') } }, people.mira.token);
    await put(`/tickets/${id}`, { data: { statusId: ofGroup('Open') } }, people.sam.token);
    await fill();
    expect(await inbox(people.mira)).toMatchObject([
      { kind: 'reopened', ticketId: id, actor: { id: ids.sam, name: 'Sam' }, excerpt: null, readAt: null },
    ]);
  });

  it('says which AI agent or user wrote', async () => {
    const { post, people, ids, fill, inbox } = await newOffice();
    const agent = await post('/agents', { name: 'Scout' });
    const { id: ticketId } = await post('/tickets', {
      title: 'Lamp',
      requesterId: ids.ada,
      assigneeId: ids.mira,
      authorId: ids.mira,
      assignedAIAgent: agent.id,
    });
    await post('/ticket-messages', { ticketId, content: 'Which bulb?', source: 'AGENT' });
    await post('/ticket-messages', { ticketId, content: 'The big one' }, people.ada.token);
    await fill();
    expect(await inbox(people.mira)).toMatchObject([
      { kind: 'replied', actor: { id: ids.ada, name: 'Ada' }, excerpt: 'The big one' },
      { kind: 'replied', actor: { id: agent.id, name: 'Scout' }, excerpt: 'Which bulb?' },
    ]);
  });

  it('is told of a new ticket by another, with its approvers, and never twice', async () => {
    const { post, ids, people, fill, kinds } = await newOffice();
    const body = { title: 'A', assigneeId: ids.mira, approverIds: [ids.sam], requesterId: ids.ada };
    await post('/tickets', body, people.fay.token);
    await fill();
    await fill();
    // A process that has just started reads the last minute again.
    await fill(new Map());
    expect([await kinds(people.mira), await kinds(people.sam), await kinds(people.fay)]).toEqual([
      // Who opened it need not have chosen the assignee.
      ['opened'],
      ['approval'],
      [],
    ]);
  });

  it('gets nothing of a silent queue, but the question for an approval', async () => {
    const { post, put, queue, ids, people, fill, kinds } = await newOffice();
    await put(`/queues/${queue}`, { settings: { silentMode: true } });
    const { id } = await post('/tickets', {
      title: 'A',
      queueId: queue,
      assigneeId: ids.mira,
      approverIds: [ids.sam],
      authorId: ids.ada,
    });
    await post('/ticket-messages', { ticketId: id, content: 'Hello' }, people.ada.token);
    await fill();
    expect([await kinds(people.mira), await kinds(people.sam)]).toEqual([[], ['approval']]);
  });

  it('is not told of what happened before anybody could sign in, of old imports and of the bridge’s own notes', async () => {
    const { post, ids, people, fill, kinds, db, clock } = await newOffice();
    const { id } = await post('/tickets', { title: 'A', assigneeId: ids.mira, authorId: ids.mira });
    const old = await post('/ticket-messages', { ticketId: id, content: 'Old', authorId: ids.ada });
    await db
      .updateTable('ticket_message')
      .set({ created_at: new Date(clock.now().getTime() - 3 * 86_400_000) })
      .where('id', '=', old.id)
      .execute();
    await post('/ticket-messages', {
      ticketId: id,
      content: 'Note',
      authorId: ids.sam,
      private: true,
      chatChannelId: 'deskbridge',
    });
    await fill();
    expect(await kinds(people.mira)).toEqual([]);
  });

  it('is for agents and admins: a requester has none, and without them nothing is stored', async () => {
    const { post, ids, people, fill, kinds } = await newOffice();
    const { id } = await post('/tickets', { title: 'A', requesterId: ids.ada, followers: [{ id: ids.ada }] });
    await post('/ticket-messages', { ticketId: id, content: mention(ids.ada) }, people.mira.token);
    await fill();
    expect(await kinds(people.ada)).toEqual([]);

    const alone = await startTestService();
    const user = (await alone.call('POST', '/users', { body: { firstName: 'Ben' } })).body.id;
    const ticket = (await alone.call('POST', '/tickets', { body: { title: 'B' } })).body.id;
    await alone.call('PUT', `/tickets/${ticket}`, { body: { data: { assigneeId: user } } });
    const { db } = openTables(alone);
    expect(await db.selectFrom('notification_change').select('id').execute()).toEqual([]);
  });

  it('shows no text to somebody who may not read it, when it is written and when it is read', async () => {
    const { post, put, otherQueue, ids, people, fill, inbox, unread } = await newOffice();
    const ticket = await post('/tickets', { title: 'Secret', queueId: otherQueue, private: true });
    const note = { ticketId: ticket.id, content: `${mention(ids.quinn)} salary`, private: true };
    await post('/ticket-messages', note, people.sam.token);
    await fill();
    expect(await inbox(people.quinn)).toEqual([]);

    await put(`/tickets/${ticket.id}`, { data: { assigneeId: ids.quinn } }, people.sam.token);
    await post('/ticket-messages', note, people.sam.token);
    await fill();
    expect((await inbox(people.quinn)).map(({ kind }) => kind)).toEqual(['mentioned', 'assigned']);
    expect(await unread(people.quinn)).toBe(2);

    await put(`/tickets/${ticket.id}`, { data: { assigneeId: ids.mira } }, people.sam.token);
    await fill();
    const [only, ...rest] = await inbox(people.quinn);
    expect(only).toMatchObject({ kind: 'reassigned', ticket: { title: null }, excerpt: null });
    expect([rest, await unread(people.quinn)]).toEqual([[], 1]);
    expect(await inbox(people.quinn, '?search=Secret')).toEqual([]);
  });

  it('takes its excerpt from the message as it is now', async () => {
    const { post, put, ids, people, fill, inbox, call } = await newOffice();
    const { id } = await post('/tickets', { title: 'A', assigneeId: ids.mira, authorId: ids.mira });
    const message = await post(
      '/ticket-messages',
      { ticketId: id, content: '**Frist** try' },
      people.sam.token,
    );
    await fill();
    const excerpt = async () => (await inbox(people.mira))[0]?.excerpt;
    expect(await excerpt()).toBe('Frist try');
    await put(`/ticket-messages/${message.id}`, { content: 'First try' });
    await fill();
    expect(await excerpt()).toBe('First try');
    await call('DELETE', `/ticket-messages/${message.id}`);
    expect(await excerpt()).toBeNull();
    expect(await inbox(people.mira)).toHaveLength(1);
  });

  it('is read by ids, by ticket, by opening the ticket and as a whole; only by its person', async () => {
    const { post, ids, people, fill, inbox, unread, put } = await newOffice();
    const { mira, sam } = people;
    const tickets = [];
    for (const title of ['A', 'B', 'C', 'D'])
      tickets.push((await post('/tickets', { title, assigneeId: ids.mira, authorId: ids.sam })).id);
    await fill();
    const [, , , first] = await inbox(mira);
    expect(first?.ticket).toEqual({ code: expect.stringMatching(/-\d+$/) as string, title: 'A' });
    expect(await post('/notifications/read', { ids: [first?.id] }, sam.token)).toEqual({
      unread: 0,
      latestId: null,
    });
    expect(await post('/notifications/read', { ids: [first?.id] }, mira.token)).toMatchObject({ unread: 3 });
    expect(await post('/notifications/read', { ticketId: tickets[1] }, mira.token)).toMatchObject({
      unread: 2,
    });
    await put(`/tickets/${tickets[2]}/read`, {}, mira.token);
    expect(await unread(mira)).toBe(1);
    expect((await inbox(mira, '?unread=true')).map(({ ticketId }) => ticketId)).toEqual([tickets[3]]);
    expect(await inbox(mira, '?unread=false')).toHaveLength(3);
    expect(await post('/notifications/read', { all: true }, mira.token)).toEqual({
      unread: 0,
      latestId: null,
    });
  });

  it('refuses a request to mark as read that names nothing, or two things', async () => {
    const { call, people } = await newOffice();
    for (const body of [{}, { ids: ['a'], all: true }])
      expect((await call('POST', '/notifications/read', { body, token: people.mira.token })).status).toBe(
        400,
      );
  });

  it('pages newest first', async () => {
    const { post, ids, people, fill, call } = await newOffice();
    for (const title of ['A', 'B', 'C'])
      await post('/tickets', { title, assigneeId: ids.mira, authorId: ids.sam });
    await fill();
    const titles: (string | null)[] = [];
    let cursor = '';
    do {
      const path = `/notifications?limit=2${cursor && `&cursor=${cursor}`}`;
      const { body } = await call('GET', path, { token: people.mira.token });
      for (const { ticket } of body.items as unknown as { ticket: { title: string } }[])
        titles.push(ticket.title);
      cursor = (body as unknown as { nextCursor: string | null }).nextCursor ?? '';
    } while (cursor);
    expect(titles).toEqual(['C', 'B', 'A']);
  });

  it('is erased with its person, and forgotten after 90 days', async () => {
    const { post, put, ids, people, fill, db, call, clock } = await openOffice({
      retention: { days: 90, everyMs: 20 },
    });
    const { id } = await post('/tickets', { title: 'A', assigneeId: ids.mira, followers: [{ id: ids.fay }] });
    await post('/ticket-messages', { ticketId: id, content: 'x', authorId: ids.ada });
    await put(`/tickets/${id}/read`, {}, people.mira.token);
    await put(`/tickets/${id}/read`, {}, people.fay.token);
    await fill();
    await call('DELETE', `/users/${ids.fay}`);
    const owners = async () =>
      Promise.all(
        (['notification', 'ticket_read'] as const).map(async (table) => [
          ...new Set((await db.selectFrom(table).select('person_id').execute()).map((row) => row.person_id)),
        ]),
      );
    expect(await owners()).toEqual([[ids.mira], [ids.mira]]);
    clock.pass(91 * 86_400_000);
    await until('both to be empty', async () => (await owners()).flat().length === 0 || undefined);
  });

  it('is filled within about a second, also for an assignment', async () => {
    const { post, ids, people, inbox } = await openOffice({ notificationsEveryMs: 20 });
    await post('/tickets', { title: 'A', assigneeId: ids.mira, authorId: ids.sam });
    await until('the notification', async () => (await inbox(people.mira))[0]);
  });
});

describe('the inbox and chat', () => {
  const seen = { assigneeId: 'mira', statusId: 'open', isDecided: false };
  const record = {
    createdAt: '',
    assignedAt: null,
    authorId: null,
    followers: ['fay', 'joe'],
    decidedBy: null,
  };

  it.each([
    ['a new assignee', { assigneeId: 'sam' }],
    ['nobody', { assigneeId: null }],
    ['a status', { statusId: 'done' }],
    ['a decision', { isDecided: true }],
    ['all at once', { assigneeId: 'joe', statusId: 'done', isDecided: true }],
  ])('notify the same people of a change: %s', (_, changed) => {
    const now = { ...seen, ...changed };
    for (const actor of ['mira', 'fay', 'sam', 'eve', null]) {
      const inChat = decideNotices({
        before: seen,
        now: { ...record, ...now, decidedBy: actor },
        since: '',
        messages: [],
        actorOf: () => actor,
      });
      const inInbox = ofChange({
        id: 'c',
        ticket_id: 't',
        created_at: new Date(0),
        silent: false,
        was_ended: false,
        is_ended: false,
        facts: {
          before: seen,
          now,
          followers: record.followers,
          addedApprovers: [],
          actorId: actor,
          decidedBy: actor,
        },
      });
      expect(inInbox.map(({ person_id }) => person_id)).toEqual(inChat.map(({ user }) => user));
    }
  });

  it.each([true, false])('notify the same people of a message that is private: %s', (isPrivate) => {
    for (const author of ['mira', 'fay', 'ada', null])
      for (const mentions of [[], ['mira', 'eve'], ['fay']]) {
        const content = mentions.map((id) => mention(id)).join(' ');
        const inChat = decideNotices({
          before: seen,
          now: { ...record, ...seen },
          since: '',
          actorOf: () => null,
          messages: [{ id: 'm', authorId: author, private: isPrivate, mentions, heardBy: new Set() }],
        });
        const inInbox = ofMessage({
          id: 'm',
          ticket_id: 't',
          content,
          author_id: author,
          private: isPrivate,
          assignee_id: 'mira',
          followers: record.followers,
          created_at: new Date(0),
          silent: false,
        });
        expect(inInbox.map(({ person_id }) => person_id)).toEqual(inChat.map(({ user }) => user));
      }
  });
});
