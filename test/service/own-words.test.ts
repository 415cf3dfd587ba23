import { describe, expect, it } from 'vitest';

import type { RouteBody } from '../../src/contract/index.ts';
import { sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { uploadFile } from './upload.ts';
import { openTables } from './world.ts';

const newWorkspace = sharedService();

async function world() {
  const running = await newWorkspace();
  const { call, workspaceId } = running;
  const { db } = openTables(running);
  const queue = (await call('POST', '/queues', { body: { name: 'A', prefix: 'AAA' } })).body.id;
  const people = {
    rita: await signIn(db, workspaceId, { role: 'requester', name: 'Rita' }),
    ann: await signIn(db, workspaceId, { role: 'agent', name: 'Ann' }),
    bob: await signIn(db, workspaceId, { role: 'agent', queueIds: [queue], name: 'Bob' }),
    ada: await signIn(db, workspaceId, { role: 'admin', name: 'Ada' }),
  };
  const as = (who: keyof typeof people | 'key', method: string, path: string, body?: unknown) =>
    call(method, path, { ...(who !== 'key' && { token: people[who].token }), ...(body ? { body } : {}) });
  return { ...running, db, queue, people, as };
}
type World = Awaited<ReturnType<typeof world>>;

describe('words of others', () => {
  const CHANGES = [
    ['PUT', { content: 'other words' }, 'messageEdited'],
    ['PUT', { private: true }, 'messageHidden'],
    ['PUT', { content: 'other words', private: true }, 'messageEdited'],
    ['DELETE', undefined, 'messageDeleted'],
  ] as const;

  async function ticketWith({ as, people, queue }: World, author: 'rita' | 'ann') {
    const ticket = (
      await as('key', 'POST', '/tickets', { title: 'T', queueId: queue, requesterId: people.rita.personId })
    ).body.id;
    const message = (await as(author, 'POST', '/ticket-messages', { ticketId: ticket, content: 'my words' }))
      .body;
    return { ticket, message };
  }
  const history = async ({ as }: World, ticket: string) =>
    (
      (await as('ada', 'GET', `/tickets/${ticket}/activity`)).body.items as unknown as {
        field: string | null;
        actor: { id: string };
        to: { id: string } | null;
      }[]
    )
      .filter(({ field }) => /^(message|file)/.test(field ?? ''))
      .map(({ field, actor, to }) => [field, actor.id, to?.id]);

  it.each(CHANGES)(
    'are changed by their author and admins only, with a trace: %s %j',
    async (method, body, field) => {
      const all = await world();
      const { as, people, call } = all;
      for (const author of ['rita', 'ann'] as const) {
        const { ticket, message } = await ticketWith(all, author);
        const path = `/ticket-messages/${message.id}`;
        const authorId = people[author].personId;
        for (const who of (['rita', 'ann', 'bob'] as const).filter((each) => each !== author))
          expect([who, (await as(who, method, path, body)).status]).toEqual([who, 403]);
        expect((await call('GET', path)).body).toMatchObject({ content: 'my words', private: false });
        expect(await history(all, ticket)).toEqual([]);
        expect((await as('ada', method, path, body)).status).toBe(200);
        expect(await history(all, ticket)).toContainEqual([field, people.ada.personId, authorId]);
        const { items } = (await call('GET', `/audit-entries?subjectId=${message.id}`)).body;
        expect(items.at(0)).toMatchObject({
          action: method === 'DELETE' ? 'message.deleted' : 'message.changed',
          actorId: people.ada.personId,
        });
        expect(JSON.stringify(items)).not.toContain('words"');
      }
    },
  );

  it('that an agent wrote are changed by that agent, and notes are made public by their author, without a trace', async () => {
    const all = await world();
    const { as, queue, people } = all;
    const { ticket, message } = await ticketWith(all, 'ann');
    const note = (
      await as('ann', 'POST', '/ticket-messages', { ticketId: ticket, content: 'for us', private: true })
    ).body.id;
    expect((await as('bob', 'PUT', `/ticket-messages/${note}`, { private: false })).status).toBe(403);
    expect((await as('ann', 'PUT', `/ticket-messages/${note}`, { private: false })).status).toBe(200);
    expect((await as('ann', 'PUT', `/ticket-messages/${message.id}`, { content: 'mine' })).status).toBe(200);
    expect((await as('ann', 'DELETE', `/ticket-messages/${message.id}`)).status).toBe(200);
    expect(await history(all, ticket)).toEqual([]);
    expect([queue, people.ann.personId].every(Boolean)).toBe(true);
  });

  it('are changed by keys as before: for the author without a trace, for others and by themselves with one', async () => {
    const all = await world();
    const { as, people, call } = all;
    const { ticket, message } = await ticketWith(all, 'rita');
    const path = `/ticket-messages/${message.id}`;
    const [rita, ann] = [people.rita.personId, people.ann.personId];
    await as('key', 'PUT', path, { content: 'followed', actorId: rita });
    expect(await history(all, ticket)).toEqual([]);
    await as('key', 'PUT', path, { content: 'for Ann', actorId: ann });
    await as('key', 'PUT', path, { content: 'by a program' });
    await call('DELETE', `${path}?actorId=${ann}`);
    const trace = await history(all, ticket);
    expect(trace.map(([field]) => field)).toEqual(['messageEdited', 'messageEdited', 'messageDeleted']);
    expect([trace[0]?.[1], trace[2]?.[1]]).toEqual([ann, ann]);
    const { items } = (await call('GET', '/audit-entries?action=message.changed')).body;
    expect(items).toHaveLength(2);
  });

  it('files are deleted by who uploaded them and by admins only, with a trace', async () => {
    const all = await world();
    const { as, people } = all;
    const { ticket } = await ticketWith(all, 'rita');
    const upload = async () =>
      (await uploadFile(all, `/tickets/${ticket}/files?attach=true`, { token: people.rita.token })).body.id;
    const [first, second] = [await upload(), await upload()];
    for (const who of ['ann', 'bob'] as const)
      expect((await as(who, 'DELETE', `/files/${first}`)).status).toBe(403);
    expect((await as('rita', 'DELETE', `/files/${first}`)).status).toBe(200);
    expect(await history(all, ticket)).toEqual([]);
    expect((await as('ada', 'DELETE', `/files/${second}`)).status).toBe(200);
    expect(await history(all, ticket)).toEqual([['fileDeleted', people.ada.personId, people.rita.personId]]);
  });
});

describe('who asks does not approve', () => {
  const AT = '2026-11-20T09:30:00Z';

  it.each(['rita', 'ann', 'bob', 'ada'] as const)(
    '%s, as the requester or the author, also a former one, and of a ticket that was merged into it',
    async (who) => {
      const { as, call, people, queue } = await world();
      const statuses = (await call('GET', '/statuses')).body.items;
      const open = statuses.find(({ label }) => label === 'Open')?.id ?? '';
      const own = people[who].personId;
      const make = async (body: RouteBody<'createTicket'>) =>
        (await as('key', 'POST', '/tickets', { title: 'T', queueId: queue, approverIds: [own], ...body }))
          .body.id;
      const other = people[who === 'rita' ? 'ann' : 'rita'].personId;
      const tickets = {
        requester: await make({ requesterId: own }),
        author: await make({ requesterId: other, authorId: own }),
        former: await make({ requesterId: own, authorId: other }),
        'former author': await make({ requesterId: other, authorId: own }),
        'author who was replaced': await make({ requesterId: other, authorId: own }),
      };
      await as('key', 'PUT', `/tickets/${tickets.former}`, { data: { requesterId: other } });
      // An agent removes themselves, as only the team may.
      const removed = await as(who === 'rita' ? 'key' : who, 'PUT', `/tickets/${tickets['former author']}`, {
        data: { authorId: null },
      });
      expect(removed.status).toBe(200);
      await as('key', 'PUT', `/tickets/${tickets['author who was replaced']}`, { data: { authorId: other } });
      const mergedFrom = async (asked: object, further: string[] = []) => {
        const last = await make({ requesterId: other, authorId: other });
        let from = await make({ requesterId: other, authorId: other, ...asked });
        for (const id of [...further, last]) {
          const merged = await as('key', 'POST', `/tickets/${from}/merge`, { intoId: id });
          expect(merged.status).toBe(200);
          from = id;
        }
        return last;
      };
      const middle = await make({ requesterId: other, authorId: other });
      const moved = await make({ requesterId: own, authorId: other });
      await as('key', 'PUT', `/tickets/${moved}`, { data: { requesterId: other } });
      const ofMoved = await make({ requesterId: other, authorId: other });
      await as('key', 'POST', `/tickets/${moved}/merge`, { intoId: ofMoved });
      const left = await make({ requesterId: other, authorId: own });
      await as('key', 'PUT', `/tickets/${left}`, { data: { authorId: null } });
      const ofLeft = await make({ requesterId: other, authorId: other });
      await as('key', 'POST', `/tickets/${left}/merge`, { intoId: ofLeft });
      Object.assign(tickets, {
        'requester of a merged one': await mergedFrom({ requesterId: own }),
        'author of a merged one': await mergedFrom({ authorId: own }),
        'requester of the first of a chain': await mergedFrom({ requesterId: own }, [middle]),
        'former requester of a merged one': ofMoved,
        'former author of a merged one': ofLeft,
      });
      for (const [how, id] of Object.entries(tickets))
        for (const decision of ['approvedAt', 'declinedAt']) {
          const answer = await as(who, 'PUT', `/tickets/${id}`, { data: { [decision]: AT } });
          expect([how, decision, answer.status]).toEqual([how, decision, 403]);
        }
      if (who !== 'rita') {
        const both = { requesterId: other, approvedAt: AT };
        expect((await as(who, 'PUT', `/tickets/${tickets.requester}`, { data: both })).status).toBe(403);
        const without = { authorId: null, approvedAt: AT };
        expect((await as(who, 'PUT', `/tickets/${tickets.author}`, { data: without })).status).toBe(403);
      }
      const undone = await make({ requesterId: own, authorId: own });
      const theirs = await make({ requesterId: other, authorId: other });
      await as('key', 'POST', `/tickets/${undone}/merge`, { intoId: theirs });
      await as('key', 'PUT', `/tickets/${undone}`, { data: { statusId: open } });
      expect((await as(who, 'PUT', `/tickets/${theirs}`, { data: { approvedAt: AT } })).status).toBe(200);
      // Keys as before.
      const byKey = { data: { approvedAt: AT }, approverId: own };
      expect((await as('key', 'PUT', `/tickets/${tickets.requester}`, byKey)).status).toBe(200);
    },
  );
});

describe('who asks rates the help', () => {
  it('and nobody else who is on the ticket or works on it: in sessions, not with keys', async () => {
    const { as, call, db, workspaceId, people, queue } = await world();
    const { rita, ann, bob, ada } = people;
    const merged = await signIn(db, workspaceId, { role: 'requester', name: 'Mo' });
    const make = async (body: RouteBody<'createTicket'>) =>
      (await as('key', 'POST', '/tickets', { title: 'T', queueId: queue, ...body })).body.id;
    const ticket = await make({
      requesterId: rita.personId,
      authorId: ada.personId,
      assigneeId: bob.personId,
      approverIds: [ann.personId],
      followers: [{ id: merged.personId }],
    });
    const rate = ({ token, personId }: { token: string; personId: string }, id = ticket) =>
      call('POST', `/tickets/${id}/csat`, { token, body: { score: 5, userId: personId } });
    for (const [who, person] of Object.entries({ ada, bob, ann, merged })) {
      const { status, body } = await rate(person);
      expect([who, status, JSON.stringify(body)]).toEqual([
        who,
        403,
        expect.stringContaining('in a message'),
      ]);
    }
    expect((await as('key', 'GET', `/tickets/${ticket}`)).body).toMatchObject({ csat: [] });
    expect((await rate(rita)).status).toBe(200);
    // Who asked for a ticket that goes on in this one; not any more once it goes on by itself.
    const other = await make({ requesterId: merged.personId });
    await as('key', 'POST', `/tickets/${other}/merge`, { intoId: ticket });
    expect((await rate(merged)).status).toBe(200);
    const statuses = (await call('GET', '/statuses')).body.items;
    const statusId = statuses.find(({ label }) => label === 'Open')?.id;
    await as('key', 'PUT', `/tickets/${other}`, { data: { statusId } });
    expect([(await rate(merged)).status, (await rate(merged, other)).status]).toEqual([403, 200]);
    // An agent rates what they asked for; a key rates for everybody.
    expect((await rate(bob, await make({ requesterId: bob.personId }))).status).toBe(200);
    const byKey = { score: 1, userId: bob.personId };
    expect((await as('key', 'POST', `/tickets/${ticket}/csat`, byKey)).status).toBe(200);
  });
});

describe('a requester who opens a ticket', () => {
  const AT = '2027-01-01T00:00:00Z';
  const fieldsOf = ({ people }: World, ids: { done: string; tag: string }) =>
    ({
      approverIds: [people.rita.personId],
      approvers: [{ id: people.ada.personId }],
      followers: [{ id: people.ada.personId }],
      assigneeId: people.ann.personId,
      statusId: ids.done,
      dueAt: AT,
      priority: 'URGENT',
      published: false,
      tags: [{ id: ids.tag }],
      snoozeUntil: AT,
      startAt: AT,
      disableAIResponse: true,
      assignedAIAgent: 'agt_1',
    }) satisfies RouteBody<'createTicket'>;
  const BY_FORM = ['approverIds', 'approvers', 'followers', 'assigneeId', 'statusId', 'dueAt', 'priority'];

  it('sets only what the form asks for, and never what is the team’s', async () => {
    const all = await world();
    const { as, call, queue } = all;
    const statuses = (await call('GET', '/statuses')).body.items;
    const tag = (await call('POST', '/tags', { body: { name: 'x', color: '#000000' } })).body.id;
    const done = statuses.find(({ label }) => label === 'Done')?.id ?? '';
    const fields = fieldsOf(all, { done, tag });
    const form = async (formEnabled: boolean, isPrivate: boolean) => {
      const type = (await call('POST', '/request-types', { body: { name: 'R', formEnabled } })).body.id;
      const asked = [
        ['APPROVERS', 'USER_MULTI_SELECT'],
        ['FOLLOWERS', 'USER_MULTI_SELECT'],
        ['ASSIGNEE', 'USER_SELECT'],
        ['STATUS', 'STATUS_SELECT'],
        ['DUE_DATE', 'DATE'],
        ['PRIORITY', 'PRIORITY_SELECT'],
      ];
      const customFields = [];
      for (const [order, [ticketField = '', kind]] of asked.entries()) {
        const key = `k_${order}_${type.slice(-6)}`;
        const { id } = (
          await call('POST', '/custom-fields', { body: { key, label: ticketField, type: kind } })
        ).body;
        customFields.push({ customFieldId: id, order, required: false, private: isPrivate, ticketField });
      }
      const saved = await call('PUT', `/request-types/${type}`, { body: { customFields } });
      expect(saved.status).toBe(200);
      return type;
    };
    const places = {
      'no request type': undefined,
      'a form that asks': await form(true, false),
      'private questions': await form(true, true),
      'a request type without a form': await form(false, false),
    };
    for (const [place, requestTypeId] of Object.entries(places))
      for (const [name, value] of Object.entries(fields)) {
        const body = { title: 'T', queueId: queue, requestTypeId, [name]: value };
        const asked = place === 'a form that asks' && BY_FORM.includes(name);
        const answer = await as('rita', 'POST', '/tickets', body);
        expect([place, name, answer.status]).toEqual([place, name, asked ? 200 : 422]);
        if (!asked) expect(answer.body.issues).toMatchObject([{ path: name }]);
      }
    const harmless = {
      published: true,
      priority: 'MEDIUM',
      tags: [],
      approverIds: [],
      disableAIResponse: false,
    };
    const plain = {
      title: 'T',
      description: 'D',
      queueId: queue,
      private: true,
      source: 'FORM',
      ...harmless,
    };
    expect((await as('rita', 'POST', '/tickets', plain)).status).toBe(200);
    // The team and keys set everything.
    for (const who of ['ann', 'bob', 'ada', 'key'] as const) {
      const { assignedAIAgent: _, ...team } = fields;
      const answer = await as(who, 'POST', '/tickets', {
        title: 'T',
        queueId: queue,
        ...team,
        statusId: null,
      });
      expect([who, answer.status]).toEqual([who, 200]);
    }
    // An agent who asks another team.
    const elsewhere = (await call('POST', '/queues', { body: { name: 'B', prefix: 'BBB' } })).body.id;
    const bob = (body: object) => as('bob', 'POST', '/tickets', { title: 'T', queueId: elsewhere, ...body });
    expect((await bob({ priority: 'URGENT' })).status).toBe(200);
    for (const name of ['approverIds', 'statusId', 'assigneeId', 'published'] as const)
      expect([name, (await bob({ [name]: fields[name] })).status]).toEqual([name, 422]);
  });
});
