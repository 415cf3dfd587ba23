import { describe, expect, it } from 'vitest';

import { sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { statuses } from './tickets/requests.ts';
import { uploadFile } from './upload.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

interface Answer {
  status: number;
  body: {
    id: string;
    items: { id: string; firstName: string | null; email: string | null; role: string | null }[];
    status: { label: string };
  } & Record<string, unknown>;
}

/** A queue with targets and a team of one agent, a requester with a ticket in it, and who knows nothing of it. */
async function setUp() {
  const running = await newWorkspace();
  const { db } = openTables(running);
  const { workspaceId } = running;
  const as =
    (token?: string) =>
    async (method: string, path: string, body?: unknown): Promise<Answer> =>
      (await running.call(method, path, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
      })) as unknown as Answer;
  const call = as();
  const targets = { MEDIUM: { responseMinutes: 60, resolutionMinutes: 600 } };
  const queue = (await call('POST', '/queues', { name: 'One', prefix: 'ONE', settings: { targets } })).body
    .id;
  const agent = await signIn(db, workspaceId, { role: 'agent', queueIds: [queue], name: 'Agent' });
  const requester = await signIn(db, workspaceId, { role: 'requester', name: 'Requester' });
  const stranger = await signIn(db, workspaceId, { role: 'requester', name: 'Stranger' });
  const ticket = (
    await call('POST', '/tickets', {
      title: 'Help',
      queueId: queue,
      requesterId: requester.personId,
      assigneeId: agent.personId,
    })
  ).body.id;
  const to = await statuses(running);
  return {
    ...running,
    db,
    call,
    queue,
    agent,
    requester,
    stranger,
    ticket,
    to,
    asAgent: as(agent.token),
    asRequester: as(requester.token),
    asStranger: as(stranger.token),
  };
}

describe('the people that a requester reads', () => {
  it('are those on their tickets, by name, without e-mail, accounts and role', async () => {
    const { call, agent, requester, stranger, ticket, asRequester, db, workspaceId } = await setUp();
    const writer = await signIn(db, workspaceId, { role: 'agent', name: 'Writer' });
    const noter = await signIn(db, workspaceId, { role: 'agent', name: 'Noter' });
    await call('POST', '/ticket-messages', { ticketId: ticket, content: 'x', authorId: writer.personId });
    await call('POST', '/ticket-messages', {
      ticketId: ticket,
      content: 'x',
      authorId: noter.personId,
      private: true,
    });
    const everybody = [agent, requester, stranger, writer, noter].map(({ personId }) => personId);
    const named = await asRequester('GET', `/users?set=${everybody.join(',')}`);
    expect(named.body.items.map(({ firstName }) => firstName).toSorted()).toEqual([
      'Agent',
      'Requester',
      'Writer',
    ]);
    const ofAgent = named.body.items.find(({ id }) => id === agent.personId);
    expect(ofAgent).toMatchObject({ email: null, role: null, queueIds: null, chatUsers: [], absence: null });
    expect(named.body.items.find(({ id }) => id === requester.personId)).toMatchObject({
      email: `${requester.personId}@acme.example`,
      role: 'requester',
    });
    // With the user of the key, which is the author of the ticket.
    expect((await asRequester('GET', '/users')).body.items).toHaveLength(4);
  });

  it('are not guessed by filters on what is not shown', async () => {
    const { agent, asRequester } = await setUp();
    for (const filter of [
      `email=${agent.personId}@acme.example`,
      'role=agent',
      'search=acme.example',
      'search=Agent',
    ])
      expect([filter, (await asRequester('GET', `/users?${filter}`)).body.items]).toEqual([filter, []]);
  });

  it('have no e-mail address in messages, snippets, cursors and finds, other than their own', async () => {
    const { ticket, queue, agent, requester, asAgent, asRequester, call } = await setUp();
    const [theirs, own] = [agent, requester].map(({ personId }) => `${personId}@acme.example`);
    const field = (await call('POST', '/custom-fields', { label: 'Buddy', type: 'USER_SELECT' })).body;
    const customFields = { [String(field['key'])]: agent.personId };
    await call('PUT', `/tickets/${ticket}`, { data: { customFields } });
    for (const { personId } of [agent, requester])
      await call('POST', '/ticket-messages', { ticketId: ticket, content: 'x', authorId: personId });

    const count = async (as: typeof call, query: Record<string, string>) => {
      const { counts } = (await as('POST', '/tickets/counts', { filters: [{ key: '', query }] })).body;
      return (counts as { count: number }[])[0]?.count;
    };
    const finds = async (as: typeof call, email = '') => ({
      search: (await as('GET', `/tickets?search=${email}`)).body.items.length,
      part: (await as('GET', `/tickets?search=${email.slice(0, 12)}`)).body.items.length,
      meaning: (await as('GET', `/tickets/semantic-search?query=${email}`)).body.items.length,
      filter: (await as('GET', `/tickets?email=${email}`)).body.items.length,
      counts: [await count(as, { search: email }), await count(as, { email })],
      messages: (await as('GET', `/ticket-messages?ticketId=${ticket}&email=${email}`)).body.items.length,
    });
    const none = { search: 0, part: 0, meaning: 0, filter: 0, counts: [0, 0], messages: 0 };
    const all = { search: 1, part: 1, meaning: 1, filter: 1, counts: [1, 1], messages: 1 };
    expect(await finds(asAgent, own)).toEqual(all);
    expect(await finds(asAgent, theirs)).toMatchObject({ search: 1, meaning: 1, messages: 1 });
    expect(await finds(asRequester, theirs)).toEqual(none);
    expect(await finds(asRequester, own)).toEqual({ ...none, filter: 1, counts: [0, 1], messages: 1 });

    const said = (await asRequester('GET', `/ticket-messages?ticketId=${ticket}`)).body.items;
    const since = (await asRequester('GET', `/tickets/${ticket}?messagesFrom=2020-01-01T00:00:00Z`)).body;
    const one = await asRequester('GET', `/ticket-messages/${said[0]?.id ?? ''}`);
    for (const messages of [said, since['messages'], [one.body, said[1]]])
      expect(messages).toMatchObject([
        { author: { firstName: 'Agent', email: null } },
        { author: { email: own } },
      ]);
    expect((await asAgent('GET', `/ticket-messages/${said[0]?.id ?? ''}`)).body).toMatchObject({
      author: { email: theirs },
    });

    for (const as of [asRequester, asAgent]) {
      const { matches } = (await as('GET', '/tickets/semantic-search?query=agent')).body;
      const [{ snippets } = { snippets: [] }] = matches as { snippets: { text: string }[] }[];
      expect(snippets.map(({ text }) => text)).toEqual(['Agent']);
    }
    for (const direction of ['asc', 'desc']) {
      const page = (await asRequester('GET', `/users?sortBy=email&sortDirection=${direction}&limit=1`)).body;
      expect(Buffer.from(String(page['nextCursor']), 'base64url').toString()).not.toContain('@');
    }
    expect((await asAgent('GET', `/tickets?queueId=${queue}&search=${theirs}`)).body.items).toHaveLength(1);
  });

  it('are nobody else for who has no ticket', async () => {
    const { agent, stranger, asStranger } = await setUp();
    const { body } = await asStranger('GET', `/users?set=${agent.personId},${stranger.personId}`);
    expect(body.items.map(({ id }) => id)).toEqual([stranger.personId]);
  });
});

describe('the requester of a ticket', () => {
  it('closes it and opens it again, and sets no other status', async () => {
    const { ticket, to, asRequester } = await setUp();
    const set = async (label: string) => {
      const { status, body } = await asRequester('PUT', `/tickets/${ticket}`, {
        data: { statusId: to[label] },
      });
      return status === 200 ? body.status.label : status;
    };
    const labels = ['In Progress', 'Waiting', 'Done', 'Closed', 'Waiting', 'Done', 'Open', 'In Progress'];
    const became = [];
    for (const label of labels) became.push(await set(label));
    expect(became).toEqual([403, 403, 403, 'Closed', 403, 403, 'Open', 403]);
  });

  it('changes nothing else with it, and others do not close it', async () => {
    const { ticket, to, requester, stranger, call, asRequester, asStranger } = await setUp();
    const closed = { statusId: to['Closed'] };
    const put = { data: { ...closed, priority: 'URGENT' } };
    expect((await asRequester('PUT', `/tickets/${ticket}`, put)).status).toBe(403);
    expect(
      (await asRequester('PUT', `/tickets/${ticket}`, { data: closed, includeChild: true })).status,
    ).toBe(403);
    expect((await asStranger('PUT', `/tickets/${ticket}`, { data: closed })).status).toBe(404);
    await call('PUT', `/tickets/${ticket}`, { data: { followers: [{ id: stranger.personId }] } });
    expect((await asStranger('PUT', `/tickets/${ticket}`, { data: closed })).status).toBe(403);
    // As an assignee who is no agent, too.
    await call('PUT', `/tickets/${ticket}`, { data: { assigneeId: requester.personId } });
    const waiting = { data: { statusId: to['Waiting'] } };
    expect((await asRequester('PUT', `/tickets/${ticket}`, waiting)).status).toBe(403);
  });

  it('does not undo that it was merged', async () => {
    const { ticket, queue, to, requester, asAgent, asRequester, call } = await setUp();
    const other = { title: 'The same', queueId: queue, requesterId: requester.personId };
    const { id } = (await call('POST', '/tickets', other)).body;
    expect((await asAgent('POST', `/tickets/${ticket}/merge`, { intoId: id })).status).toBe(200);
    const reopened = await asRequester('PUT', `/tickets/${ticket}`, { data: { statusId: to['Open'] } });
    expect([reopened.status, reopened.body['code']]).toEqual([422, 'UNPROCESSABLE_CONTENT']);
    expect((await call('GET', `/tickets/${ticket}`)).body['mergedIntoId']).toBe(id);
  });

  it('lets the team and the assignee set every status as before', async () => {
    const { ticket, to, asAgent, call, db, workspaceId } = await setUp();
    const { status } = await asAgent('PUT', `/tickets/${ticket}`, { data: { statusId: to['Waiting'] } });
    const other = await signIn(db, workspaceId, { role: 'agent', queueIds: [], name: 'Other' });
    await call('PUT', `/tickets/${ticket}`, { data: { assigneeId: other.personId } });
    const answer = await call('GET', `/tickets/${ticket}`);
    expect([status, answer.body.status.label]).toEqual([200, 'Waiting']);
  });

  it('reads nothing that is the team’s own: targets, pauses, snoozes', async () => {
    const { ticket, asRequester, asAgent, call, queue } = await setUp();
    await call('PUT', `/tickets/${ticket}`, { data: { snoozeUntil: '2099-01-01T00:00:00Z' } });
    const own = ['firstReplyDueAt', 'resolutionDueAt', 'slaPausedAt', 'snoozeUntil'];
    const read = async (as: typeof call) => {
      const one = (await as('GET', `/tickets/${ticket}`)).body;
      const [listed] = (await as('GET', '/tickets')).body.items as unknown as Record<string, unknown>[];
      return [one, listed ?? {}].map((record) => own.filter((field) => record[field] !== null));
    };
    const ofTeam = ['firstReplyDueAt', 'resolutionDueAt', 'snoozeUntil'];
    expect(await read(asAgent)).toEqual([ofTeam, ofTeam]);
    expect(await read(asRequester)).toEqual([[], []]);
    const queues = [
      (await asRequester('GET', `/queues/${queue}`)).body,
      (await asRequester('GET', '/queues')).body.items.find(({ id }) => id === queue),
    ];
    for (const shown of queues)
      expect(shown).toMatchObject({
        settings: { targets: null, warnings: null },
        autoAssignees: [],
      });
    expect((await asAgent('GET', `/queues/${queue}`)).body).toMatchObject({
      settings: { targets: { MEDIUM: { responseMinutes: 60 } } },
    });
  });

  it('does not learn what is the team’s own from writes, filters, counts and orders either', async () => {
    const running = await setUp();
    const { ticket, requester, asRequester, asAgent, call, queue, to, db } = running;
    const snoozeUntil = '2099-01-01T00:00:00.000Z';
    await call('PUT', `/tickets/${ticket}`, { data: { snoozeUntil } });
    // Its first reply is late.
    const late = new Date('2020-01-01T00:00:00Z');
    await db.updateTable('ticket').set({ first_reply_due_at: late }).where('id', '=', ticket).execute();

    const uploaded = await uploadFile(running, '/files', { token: requester.token });
    const own = { title: 'Mine', queueId: queue, fileIds: [uploaded.body.id] };
    const opened = await asRequester('POST', '/tickets', own);
    expect([opened.status, opened.body]).toMatchObject([
      200,
      { firstReplyDueAt: null, resolutionDueAt: null, files: [{ id: uploaded.body.id }] },
    ]);
    expect((await call('GET', `/tickets/${opened.body.id}`)).body['firstReplyDueAt']).not.toBeNull();
    await call('PUT', `/tickets/${opened.body.id}`, { data: { dueAt: '2021-01-01T00:00:00Z' } });

    const both = [opened.body.id, ticket];
    const lists: [query: string, ofRequester: string[], ofAgent: string[]][] = [
      ['snoozed=true', [], [ticket]],
      ['snoozedFilter=true', [], [ticket]],
      ['snoozed=false', both, [opened.body.id]],
      ['due=overdue', [opened.body.id], both],
      ['sortBy=due', both, [ticket, opened.body.id]],
    ];
    for (const [query, ...expected] of lists)
      for (const [at, as] of [asRequester, asAgent].entries()) {
        const { items } = (await as('GET', `/tickets?${query}`)).body;
        expect([query, at, items.map(({ id }) => id)]).toEqual([query, at, expected[at]]);
        const filters = [{ key: '', query: Object.fromEntries(new URLSearchParams(query)) }];
        const { counts } = (await as('POST', '/tickets/counts', { filters })).body;
        expect([query, at, counts]).toMatchObject([query, at, [{ count: expected[at]?.length }]]);
        if (query.startsWith('sortBy')) continue;
        const found = (await as('GET', `/tickets/semantic-search?query=help+mine&limit=20&${query}`)).body
          .items;
        const hidden = found.map(({ id }) => id).filter((id) => !expected[at]?.includes(id));
        expect([query, at, hidden]).toEqual([query, at, []]);
      }
    const { nextCursor } = (await asRequester('GET', '/tickets?sortBy=due&limit=1')).body;
    const page = (await asRequester('GET', `/tickets?sortBy=due&limit=1&cursor=${String(nextCursor)}`)).body;
    expect(page.items.map(({ id }) => id)).toEqual([ticket]);
    for (const { body } of [
      await asRequester('GET', '/tickets?sortBy=due&sortDirection=desc&limit=1'),
      await asRequester('GET', '/tickets?sortBy=due&limit=1'),
    ])
      expect(Buffer.from(String(body['nextCursor']), 'base64url').toString()).not.toContain('2020-01-01');

    const closing = { data: { statusId: to['Closed'] }, expected: { snoozeUntil } };
    const guessed = await asRequester('PUT', `/tickets/${ticket}`, closing);
    expect([guessed.status, guessed.body['conflict']]).toMatchObject([409, { value: null, by: null }]);
    const known = { ...closing, expected: { snoozeUntil: null } };
    expect((await asRequester('PUT', `/tickets/${ticket}`, known)).status).toBe(200);
  });
});
