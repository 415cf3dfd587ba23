import { describe, expect, it } from 'vitest';

import { sharedTeams } from './setup.ts';

const newTeams = sharedTeams();

describe('a ticket of a queue of a team', () => {
  it('is assigned to nobody outside of the team, and the refusal says how to add them', async () => {
    const { call, ask, put, post, people, it: queue, who } = await newTeams();
    const ticket = await ask('Salary');
    const assign = (id: string, more: object = {}) =>
      call('PUT', `/tickets/${ticket.id}`, { body: { data: { assigneeId: id, ...more } } });
    for (const { personId } of [who.sam, who.zoe, who.root, who.ben]) {
      const { status, body } = await assign(personId);
      expect([status, body.issues?.[0]?.path]).toEqual([422, 'data.assigneeId']);
      expect(body.issues?.[0]?.message).toMatch(/team of People .*Settings, People/);
    }
    const created = await call('POST', '/tickets', {
      body: { title: 'Bonus', queueId: people, assigneeId: who.sam.personId },
    });
    expect([created.status, created.body.issues?.[0]?.path]).toEqual([422, 'assigneeId']);
    const open = await post('/tickets', { title: 'Laptop', queueId: queue });
    const moved = await call('PUT', `/tickets/${open.id}`, {
      body: { data: { queueId: people, assigneeId: who.sam.personId } },
    });
    expect(moved.status).toBe(422);

    expect((await assign(who.pia.personId)).status).toBe(200);
    await put(`/users/${who.sam.personId}`, { queueIds: [queue, people] });
    expect((await assign(who.sam.personId)).status).toBe(200);
    await put(`/queues/${people}`, { autoAssignees: who.zoe.personId });
    expect((await assign(who.zoe.personId)).status).toBe(200);
    // Who has left the team meanwhile keeps the ticket until somebody else gets it.
    await put(`/queues/${people}`, { autoAssignees: '' });
    expect((await assign(who.zoe.personId, { priority: 'HIGH' })).status).toBe(200);
  });

  it('is assigned to somebody who is of the team in chat only where the bridge says so', async () => {
    const { call, ask, key, people, who } = await newTeams();
    const ticket = await ask('Salary');
    const assign = async (token: string, teamQueueIds?: string[]) => {
      const body = { data: { assigneeId: who.ben.personId }, teamQueueIds };
      return (await call('PUT', `/tickets/${ticket.id}`, { token, body })).status;
    };
    const bridge = await key({ source: 'CHAT' });
    expect(await assign((await key({})).token, [people])).toBe(422);
    expect(await assign(who.pia.token, [people])).toBe(422);
    expect(await assign(bridge.token)).toBe(422);
    expect(await assign(bridge.token, [people])).toBe(200);
  });

  it('gets no follower by a mention, and the mention shows it to nobody', async () => {
    const { call, ask, post, ids, who } = await newTeams();
    const ticket = await ask('Salary');
    const content = [who.ben, who.sam, who.zoe].map(({ personId }) => `[@x](user:${personId})`).join(' ');
    await post('/ticket-messages', { ticketId: ticket.id, content }, who.pia.token);
    expect((await call('GET', `/tickets/${ticket.id}`)).body.followers).toEqual([]);
    for (const { token } of [who.ben, who.sam, who.zoe]) expect(await ids('/tickets', token)).toEqual([]);
  });

  it('is opened for another person by its team only', async () => {
    const { call, people, who } = await newTeams();
    const open = async (token: string, more: object) =>
      (await call('POST', '/tickets', { token, body: { title: 'T', queueId: people, ...more } })).status;
    const forBen = { requesterId: who.ben.personId };
    expect(await open(who.zoe.token, forBen)).toBe(403);
    expect(await open(who.zoe.token, { parentId: null })).toBe(200);
    expect(await open(who.pia.token, forBen)).toBe(200);
  });
});
