import { describe, expect, it } from 'vitest';

import { queueVisibility } from '../../../src/contract/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createIds } from '../../../src/platform/ids.ts';
import { deriveNotifications } from '../../../src/service/notifications/derive.ts';
import { signIn } from '../signed-in.ts';
import { sharedTeams, type TeamWorld } from './setup.ts';

const newTeams = sharedTeams();

describe('a queue', () => {
  it('is for everyone in the workspace until an admin says otherwise', async () => {
    const { call, it: queue, people, put } = await newTeams();
    const visibility = async (id: string) =>
      ((await call('GET', `/queues/${id}`)).body as { visibility?: string }).visibility;
    expect([await visibility(queue), await visibility(people)]).toEqual(['workspace', 'team']);
    await put(`/queues/${people}`, { visibility: 'agents' });
    await put(`/queues/${people}`, { name: 'Human resources' });
    expect(await visibility(people)).toBe('agents');
    expect((await call('PUT', `/queues/${people}`, { body: { visibility: 'nobody' } })).status).toBe(400);
  });

  it('without a member cannot become its team’s, and says how to add one', async () => {
    const { call, post, db, workspaceId } = await newTeams();
    const gone = await signIn(db, workspaceId, { role: 'agent' });
    const refused = await call('POST', '/queues', {
      body: { name: 'New', prefix: 'NEW', visibility: 'team' },
    });
    expect([refused.status, refused.body.issues?.[0]?.path]).toEqual([422, 'visibility']);
    const { id } = await post('/queues', { name: 'New', prefix: 'NEW' });
    // One of all queues, a requester and somebody who left are no members.
    await signIn(db, workspaceId, { role: 'agent' });
    await signIn(db, workspaceId, { role: 'requester', queueIds: [id] });
    await call('PUT', `/users/${gone.personId}`, { body: { queueIds: [id], isDeactivated: true } });
    const become = (more: object = {}) =>
      call('PUT', `/queues/${id}`, { body: { visibility: 'team', ...more } });
    const { status, body } = await become();
    expect([status, body.issues?.[0]?.message]).toEqual([422, expect.stringContaining('autoAssignees')]);
    const { personId } = await signIn(db, workspaceId, { role: 'agent' });
    expect((await become({ autoAssignees: personId })).status).toBe(200);
    await call('PUT', `/queues/${id}`, { body: { visibility: 'workspace', autoAssignees: '' } });
    await signIn(db, workspaceId, { role: 'agent', queueIds: [id] });
    expect((await become()).status).toBe(200);
  });
});

type Reader = 'requester' | 'follower' | 'approver' | 'assignee' | 'Ben' | 'Sam' | 'Zoe' | 'Pia' | 'Root';

/** The table of docs/rules.md, Who reads a queue, for a reader whom a key names. */
const READS: Record<Reader, [workspace: boolean, agents: boolean, team: boolean]> = {
  requester: [true, true, true],
  follower: [true, true, true],
  approver: [true, true, true],
  assignee: [true, true, true],
  Ben: [true, false, false],
  Sam: [true, true, false],
  Zoe: [true, true, false],
  Pia: [true, true, true],
  Root: [true, true, true],
};

async function readersOf({ db, workspaceId, ask, who }: TeamWorld) {
  const added = async (name: string) => (await signIn(db, workspaceId, { role: 'requester', name })).personId;
  const [follower, approver] = [await added('Flo'), await added('Abe')];
  const ticket = await ask('striped zebra', {
    followers: [{ id: follower }],
    approverIds: [approver],
    assigneeId: who.ron.personId,
  });
  const readers: Record<Reader, string> = {
    requester: who.ada.personId,
    follower,
    approver,
    assignee: who.ron.personId,
    Ben: who.ben.personId,
    Sam: who.sam.personId,
    Zoe: who.zoe.personId,
    Pia: who.pia.personId,
    Root: who.root.personId,
  };
  return { ticket, readers };
}

it.each(queueVisibility.options.map((kind, at) => [kind, at] as const))(
  'a key finds for whom it asks what they may read of a queue for %s, and counts nothing else',
  async (kind, at) => {
    const world = await newTeams();
    const { call, ids, show } = world;
    const { ticket, readers } = await readersOf(world);
    await show(kind);
    for (const [name, reader] of Object.entries(readers)) {
      const reads = READS[name as Reader][at];
      for (const path of [
        '/tickets?',
        '/tickets?search=zebra&',
        '/tickets?search=zebra&sortBy=relevance&',
        '/tickets/semantic-search?query=zebra&',
      ]) {
        const found = await ids(`${path}visibleToUserId=${reader}`);
        expect([name, path, found]).toEqual([name, path, reads ? [ticket.id] : []]);
      }
      const { totalCount } = (await call('GET', `/tickets?visibleToUserId=${reader}`)).body;
      expect([name, totalCount]).toEqual([name, Number(reads)]);
    }
    // What a key asks of what is public is what everyone may read.
    const open = await ids('/tickets/semantic-search?query=zebra&private=false');
    expect(open).toEqual(kind === 'workspace' ? [ticket.id] : []);
  },
);

it('a private ticket of a queue of a team is read by nobody who did not read it before', async () => {
  const world = await newTeams();
  const { ids, show, ask, who } = world;
  await ask('striped zebra', { private: true });
  const seen = async () => {
    const lists: Record<string, number> = {};
    for (const [name, { token, personId }] of Object.entries(who)) {
      lists[name] = (await ids('/tickets', token)).length;
      lists[`${name} in chat`] = (await ids(`/tickets?visibleToUserId=${personId}`)).length;
    }
    return lists;
  };
  await show('workspace');
  const before = await seen();
  for (const kind of ['agents', 'team'] as const) {
    await show(kind);
    const now = await seen();
    for (const [name, count] of Object.entries(now))
      expect([name, count <= (before[name] ?? 0)]).toEqual([name, true]);
  }
  expect(await seen()).toMatchObject({ pia: 1, ron: 1, ada: 1, root: 1, zoe: 0, sam: 0, ben: 0 });
});

it('only the bridge says who is of a team in chat', async () => {
  const { ids, ask, key, people, who } = await newTeams();
  const ticket = await ask('striped zebra');
  const path = `/tickets/semantic-search?query=zebra&visibleToUserId=${who.ben.personId}&teamQueueIds=${people}`;
  const bridge = await key({ source: 'CHAT' });
  expect(await ids(path, bridge.token)).toEqual([ticket.id]);
  for (const { token } of [await key({}), await key({ source: 'CHAT', queueIds: [people] }), who.pia])
    expect(await ids(path, token)).toEqual([]);
});

it('who is of a team in chat is no agent of other queues for it', async () => {
  const { ids, ask, key, show, it: other, people, who } = await newTeams();
  await show('agents');
  const ticket = await ask('striped zebra');
  const { token } = await key({ source: 'CHAT' });
  const seenBy = (team: string) =>
    ids(
      `/tickets/semantic-search?query=zebra&visibleToUserId=${who.ben.personId}&teamQueueIds=${team}`,
      token,
    );
  expect(await seenBy(people)).toEqual([ticket.id]);
  expect(await seenBy(other)).toEqual([]);
});

it('what a person can no longer read is gone at once: after a move, and when a queue becomes its team’s', async () => {
  const { call, post, put, ids, status, show, ask, it: queue, people, who } = await newTeams();
  const gone = async (ticket: string) => {
    expect(await ids('/tickets', who.sam.token)).not.toContain(ticket);
    for (const path of ['', '/draft', '/activity', '/files', '/presence'])
      expect([path, await status(`/tickets/${ticket}${path}`, who.sam.token)]).toEqual([path, 404]);
  };
  const kept = async (ticket: string) =>
    expect(
      (await call('PUT', `/tickets/${ticket}/draft`, { token: who.sam.token, body: { content: 'Hm' } }))
        .status,
    ).toBe(200);
  const moved = await ask('Salary', { queueId: queue });
  const message = await post('/ticket-messages', { ticketId: moved.id, content: 'How much?' });
  await kept(moved.id);
  await put(`/tickets/${moved.id}`, { data: { queueId: people } });
  await gone(moved.id);
  for (const path of [`/tickets/${moved.code}`, `/ticket-messages/${message.id}`])
    expect(await status(path, who.sam.token)).toBe(404);

  await show('agents');
  const switched = await ask('Contract');
  await kept(switched.id);
  await show('team');
  await gone(switched.id);
});

it('other tickets show nothing of a team’s: neither as parent, child or link, nor in their activity', async () => {
  const { call, post, ask, it: queue, who } = await newTeams();
  const plain = await ask('Laptop', { queueId: queue });
  const secretChild = await ask('Dismissal', { parentId: plain.id });
  const secretParent = await ask('Reorganisation');
  const child = await ask('Desks', { queueId: queue, parentId: secretParent.id });
  await post(`/tickets/${plain.id}/links`, { ticketId: secretChild.id, kind: 'blocks' });
  const shown = async (path: string, token: string) =>
    JSON.stringify((await call('GET', path, { token })).body);
  const paths = ['/tickets', '/tickets?responseType=thin', '/tickets/semantic-search?query=laptop desks'];
  for (const { id } of [plain, child]) paths.push(`/tickets/${id}`, `/tickets/${id}/activity`);
  for (const path of paths) {
    const toSam = await shown(path, who.sam.token);
    for (const secret of [secretChild, secretParent])
      for (const part of [secret.id, secret.code, secret.title])
        expect([path, part, toSam.includes(part)]).toEqual([path, part, false]);
  }
  for (const path of [`/tickets/${plain.id}`, `/tickets/${plain.id}/activity`])
    expect(await shown(path, who.ron.token)).toContain(secretChild.code);
  // A key that asks for a person gets no more than the person.
  const forSam = await call('GET', `/tickets?visibleToUserId=${who.sam.personId}`);
  expect(JSON.stringify(forSam.body)).not.toContain(secretChild.id);
});

it('a merge leads nobody to a ticket that they could not read, nor a team’s words to others', async () => {
  const { call, ask, put, it: queue, who, people, post } = await newTeams();
  const secret = await ask('Salary');
  const open = await ask('Laptop', { queueId: queue });
  for (const [from, into] of [
    [secret, open],
    [open, secret],
  ] as const) {
    const { status, body } = await call('POST', `/tickets/${from.id}/merge`, { body: { intoId: into.id } });
    expect([status, body.issues?.[0]?.path]).toEqual([422, 'intoId']);
  }
  // Within the team's queue, a requester who could not read the other ticket.
  const foreign = await ask('Bonus', { requesterId: who.ben.personId });
  const stranger = await call('POST', `/tickets/${foreign.id}/merge`, { body: { intoId: secret.id } });
  expect([stranger.status, stranger.body.issues?.[0]?.message]).toEqual([
    422,
    expect.stringContaining('Ben'),
  ]);
  const own = await ask('Payslip');
  await post(`/tickets/${own.id}/merge`, { intoId: secret.id });
  // Neither of them goes among other readers while they are merged.
  for (const { id } of [own, secret]) {
    const moved = await call('PUT', `/tickets/${id}`, { body: { data: { queueId: queue } } });
    expect([moved.status, moved.body.issues?.[0]?.path]).toEqual([422, 'data.queueId']);
  }
  await put(`/tickets/${open.id}`, { data: { queueId: people } });
});

describe('a queue whose tickets are merged with those of another one keeps its readers', () => {
  /** People and IT, both for everyone; tickets of one are merged into one of the other. */
  async function merged(into: 'People' | 'IT', count = 1) {
    const world = await newTeams();
    const { ask, post, show, it: queue } = world;
    await show('workspace');
    const [ofPeople, ofIt] = [{}, { queueId: queue }];
    const target = await ask('The last one', into === 'People' ? ofPeople : ofIt);
    const from = [];
    for (let made = 0; made < count; made++) {
      const one = await ask('Goes on elsewhere', into === 'People' ? ofIt : ofPeople);
      await post(`/tickets/${one.id}/merge`, { intoId: target.id });
      from.push(one);
    }
    const become = (visibility: string) =>
      world.call('PUT', `/queues/${world.people}`, { body: { visibility } });
    return { ...world, target, from, become };
  }

  it.each(['IT', 'People'] as const)(
    'whose tickets go on in %s, until they are apart or in one queue',
    async (into) => {
      const { call, put, become, target, from, it: queue, people } = await merged(into);
      const [one] = from;
      for (const visibility of ['agents', 'team']) {
        const { status, body } = await become(visibility);
        expect([status, body.issues?.[0]?.path]).toEqual([422, 'visibility']);
        expect(body.issues?.[0]?.message).toContain(`${one?.code} into ${target.code}. Reopen`);
      }
      const stored = (await call('GET', `/queues/${people}`)).body as { visibility?: string };
      expect(stored.visibility).toBe('workspace');
      // What leaves its readers is not in the way.
      await put(`/queues/${people}`, { visibility: 'workspace', name: 'Human resources' });
      await put(`/tickets/${target.id}`, { data: { queueId: into === 'IT' ? people : queue } });
      expect((await become('team')).status).toBe(200);
    },
  );

  it('until the tickets are reopened, of which the error names some', async () => {
    const { call, put, become, target, from } = await merged('IT', 5);
    const statuses = (await call('GET', '/statuses')).body.items;
    const statusId = statuses.find(({ label }) => label === 'Open')?.id;
    const [first, second, third] = from.map(({ code }) => `${code} into ${target.code}`);
    const { body } = await become('team');
    expect(body.issues?.[0]?.message).toContain(`${first}, ${second}, ${third}, and 2 more. Reopen`);
    for (const { id } of from) {
      expect((await become('team')).status).toBe(422);
      await put(`/tickets/${id}`, { data: { statusId } });
    }
    expect((await become('team')).status).toBe(200);
  });

  it('or gets the readers of the other one, if they were merged before this was a rule', async () => {
    const { db, become, people } = await merged('IT');
    await db.updateTable('queue').set({ visibility: 'team' }).where('id', '=', people).execute();
    expect((await become('agents')).status).toBe(422);
    expect((await become('workspace')).status).toBe(200);
  });

  it('also if they are merged, or one is moved, while it changes', async () => {
    const { call, ask, post, people, it: queue, show } = await newTeams();
    for (let round = 0; round < 5; round++) {
      await show('workspace');
      const target = await ask('Other', { queueId: queue });
      const [single, merged] = [await ask('One'), await ask('Third', { queueId: queue })];
      await post(`/tickets/${merged.id}/merge`, { intoId: target.id });
      for (const [path, method, body] of [
        [`/tickets/${single.id}/merge`, 'POST', { intoId: target.id }],
        [`/tickets/${merged.id}`, 'PUT', { data: { queueId: people } }],
      ] as const) {
        await show('workspace');
        const both = await Promise.all([
          call(method, path, { body }),
          call('PUT', `/queues/${people}`, { body: { visibility: 'team' } }),
        ]);
        expect([path, ...both.map(({ status }) => status).toSorted()]).toEqual([path, 200, 422]);
        await call('PUT', `/tickets/${single.id}`, { body: { data: { queueId: queue } } });
        await call('PUT', `/tickets/${merged.id}`, { body: { data: { queueId: queue } } });
      }
    }
  });
});

it('an inbox tells nobody of a team’s ticket who may not read it, and forgets what it told', async () => {
  const { call, ask, post, put, db, it: queue, people, who } = await newTeams();
  const done = new Map<string, number>();
  const fill = () => deriveNotifications(db, { newId: createIds(systemClock), now: systemClock.now(), done });
  const inbox = async ({ token }: { token: string }) =>
    (await call('GET', '/notifications', { token })).body.totalCount;
  await fill();
  const all = Object.values(who).map(({ personId }) => `[@x](user:${personId})`);
  const ticket = await ask('Salary');
  await post('/ticket-messages', { ticketId: ticket.id, content: all.join(' ') });
  await fill();
  for (const [name, count] of [
    ['pia', 1],
    ['ron', 1],
    ['root', 1],
    ['sam', 0],
    ['zoe', 0],
  ] as const)
    expect([name, await inbox(who[name])]).toEqual([name, count]);

  const open = await ask('Laptop', { queueId: queue });
  await post('/ticket-messages', { ticketId: open.id, content: all.join(' ') });
  await fill();
  expect([await inbox(who.sam), await inbox(who.zoe)]).toEqual([1, 1]);
  await put(`/tickets/${open.id}`, { data: { queueId: people } });
  expect([await inbox(who.sam), await inbox(who.zoe), await inbox(who.pia)]).toEqual([0, 0, 2]);
  const { body } = await call('GET', '/notifications/count', { token: who.zoe.token });
  expect(body).toMatchObject({ unread: 0, latestId: null });
});

it('an agent of all queues who follows a team’s ticket learns nothing of its internal notes', async () => {
  const { call, ask, post, who } = await newTeams();
  const ticket = await ask('Salary', { followers: [{ id: who.zoe.personId }] });
  const read = async () =>
    (await call('GET', `/tickets/${ticket.id}`, { token: who.zoe.token })).body as { isUnread?: boolean };
  await call('PUT', `/tickets/${ticket.id}/read`, { token: who.zoe.token, body: {} });
  await post('/ticket-messages', { ticketId: ticket.id, content: 'Too high', private: true });
  expect(await read()).toMatchObject({ isUnread: false });
  const notes = await call('GET', `/ticket-messages?ticketId=${ticket.id}`, { token: who.zoe.token });
  expect(notes.body.totalCount).toBe(0);
  await post('/ticket-messages', { ticketId: ticket.id, content: 'Thanks' });
  expect(await read()).toMatchObject({ isUnread: true });
});
