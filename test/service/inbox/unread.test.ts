import { expect, it } from 'vitest';

import { startSession } from '../signed-in.ts';
import { sharedOffices } from './office.ts';

const newOffice = sharedOffices();

async function marks(office: Awaited<ReturnType<typeof newOffice>>, token?: string) {
  const { body } = await office.call('GET', '/tickets?sortBy=createdAt&sortDirection=asc', {
    ...(token !== undefined && { token }),
  });
  return (body.items as unknown as { isUnread?: boolean }[]).map(({ isUnread }) => isUnread);
}

it('a ticket is unread after a message or change by another, until the person has seen it', async () => {
  const office = await newOffice();
  const { post, put, people, ids } = office;
  const { mira, sam } = people;
  const { id } = await post('/tickets', { title: 'A', requesterId: ids.ada, authorId: ids.ada });
  expect(await marks(office, mira.token)).toEqual([true]);
  const seen = async () => {
    const answer = await put(`/tickets/${id}/read`, {}, mira.token);
    expect(answer).toEqual({ ticketId: id, seenAt: expect.any(String) as string });
    expect(await marks(office, mira.token)).toEqual([false]);
  };
  await seen();
  await post('/ticket-messages', { ticketId: id, content: 'Hello?' }, people.ada.token);
  expect(await marks(office, mira.token)).toEqual([true]);
  await seen();
  await put(`/tickets/${id}`, { data: { priority: 'HIGH' } }, sam.token);
  expect([await marks(office, mira.token), await marks(office, sam.token)]).toEqual([[true], [true]]);
  await seen();
  await put(`/tickets/${id}`, { data: { priority: 'LOW' } }, mira.token);
  await post('/ticket-messages', { ticketId: id, content: 'On it.' }, mira.token);
  expect(await marks(office, mira.token)).toEqual([false]);
});

it('a detail says the same, and a key gets no mark', async () => {
  const office = await newOffice();
  const { post, people, ids, call } = office;
  const { id } = await post('/tickets', { title: 'A', requesterId: ids.ada });
  expect((await call('GET', `/tickets/${id}`, { token: people.mira.token })).body).toMatchObject({
    isUnread: true,
  });
  expect((await call('GET', `/tickets/${id}`)).body).not.toHaveProperty('isUnread');
  expect(await marks(office)).toEqual([undefined]);
  expect((await call('PUT', `/tickets/${id}/read`, { body: {} })).status).toBe(403);
  const nowhere = { body: {}, token: people.mira.token };
  expect((await call('PUT', '/tickets/tkt_nothing/read', nowhere)).status).toBe(404);
});

it('what happened before the first sign-in, and 90 days ago, is not unread', async () => {
  const office = await newOffice();
  const { post, ids, person, clock } = office;
  await post('/tickets', { title: 'A', requesterId: ids.ada });
  clock.pass(1_000);
  const late = await person('agent', 'Late');
  expect(await marks(office, late.token)).toEqual([false]);
  await post('/tickets', { title: 'B', requesterId: ids.ada });
  expect(await marks(office, late.token)).toEqual([false, true]);
  clock.pass(91 * 86_400_000);
  const again = await startSession(office.db, office.workspaceId, late.personId, clock.now());
  expect(await marks(office, again.token)).toEqual([false, false]);
});

it('an internal note makes a ticket unread only for those who may read it', async () => {
  const office = await newOffice();
  const { post, put, people, otherQueue, ids } = office;
  const { quinn, mira, sam } = people;
  const { id } = await post('/tickets', { title: 'A', queueId: otherQueue, requesterId: ids.ada });
  for (const { token } of [quinn, mira]) await put(`/tickets/${id}/read`, {}, token);
  await post('/ticket-messages', { ticketId: id, content: 'Psst', private: true }, sam.token);
  expect([await marks(office, quinn.token), await marks(office, mira.token)]).toEqual([[false], [true]]);
});
