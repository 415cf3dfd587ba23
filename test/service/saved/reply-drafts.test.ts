import { expect, it } from 'vitest';

import { pruneReplyDrafts } from '../../../src/service/saved/reply-drafts.ts';
import { withPeople } from './people.ts';

const DAY_MS = 86_400_000;

async function withTicket() {
  const running = await withPeople();
  const { call } = running;
  const ada = await running.person('requester');
  const opened = await call('POST', '/tickets', { body: { title: 'T', requesterId: ada.personId } });
  return { ...running, ada, id: opened.body.id, path: `/tickets/${opened.body.id}/reply-drafts` };
}

it('a drafted reply is seen by the team, not by its requester, and apart from a person’s own draft', async () => {
  const { ada, person, call, id, path } = await withTicket();
  const [bo, cy] = [await person('agent'), await person('agent')];
  const { body: made } = await bo.send('POST', path, { content: 'Hello' });
  expect(made).toMatchObject({ content: 'Hello', version: 1, ticketId: id, author: { kind: 'person' } });
  for (const who of [bo, cy]) expect((await who.send('GET', path)).body.items).toEqual([made]);
  expect((await ada.send('GET', path)).status).toBe(403);
  expect((await cy.send('GET', `/tickets/${id}/draft`)).body).toBeNull();
  expect((await call('GET', path)).body.items).toEqual([made]);
});

it('a version that somebody changed is neither changed nor sent, and the one that is sent becomes a message, once', async () => {
  const { person, call, id, path } = await withTicket();
  const [bo, cy] = [await person('agent'), await person('agent')];
  const draft = (await bo.send('POST', path, { content: 'One' })).body.id;
  expect(await cy.send('PUT', `/reply-drafts/${draft}`, { content: 'Two', version: 1 })).toMatchObject({
    status: 200,
    body: { content: 'Two', version: 2, author: { id: cy.personId } },
  });
  const late = { content: 'Late', version: 1 };
  expect((await bo.send('PUT', `/reply-drafts/${draft}`, late)).status).toBe(409);
  expect((await bo.send('POST', `/reply-drafts/${draft}/send`, { version: 1 })).status).toBe(409);
  const sent = await bo.send('POST', `/reply-drafts/${draft}/send`, { version: 2 });
  expect(sent).toMatchObject({
    status: 200,
    body: { content: 'Two', private: false, authorId: bo.personId, ticketId: id },
  });
  const again = await cy.send('POST', `/reply-drafts/${draft}/send`, { version: 2 });
  expect(again.body.id).toBe(sent.body.id);
  const messages = (await call('GET', `/ticket-messages?ticketId=${id}`)).body.items;
  expect(messages.map(({ content }) => content)).toEqual(['Two']);
  expect((await bo.send('GET', path)).body.items).toEqual([]);
  expect((await bo.send('DELETE', `/reply-drafts/${draft}`)).status).toBe(409);
});

it('a drafted reply is deleted only in the version that the caller has seen, if they name one', async () => {
  const { person, path } = await withTicket();
  const bo = await person('agent');
  const draft = `/reply-drafts/${(await bo.send('POST', path, { content: 'One' })).body.id}`;
  await bo.send('PUT', draft, { content: 'Two', version: 1 });
  expect(await bo.send('DELETE', `${draft}?version=1`)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', message: expect.stringContaining('at version 2, not 1') as string },
  });
  expect((await bo.send('DELETE', `${draft}?version=none`)).status).toBe(400);
  expect((await bo.send('GET', path)).body.items).toMatchObject([{ content: 'Two' }]);
  expect((await bo.send('DELETE', `${draft}?version=2`)).status).toBe(200);
  expect((await bo.send('GET', path)).body.items).toEqual([]);
});

it('a drafted reply goes on with the ticket into which its own is merged, and is sent there', async () => {
  const { ada, person, call, db, id, path } = await withTicket();
  const bo = await person('agent');
  const sent = (await bo.send('POST', path, { content: 'Before' })).body.id;
  await bo.send('POST', `/reply-drafts/${sent}/send`, { version: 1 });
  const draft = (await bo.send('POST', path, { content: 'Of the first' })).body.id;
  const into = (await call('POST', '/tickets', { body: { title: 'Other' } })).body.id;
  const other = `/tickets/${into}/reply-drafts`;
  expect((await bo.send('POST', `/tickets/${id}/merge`, { intoId: into })).status).toBe(200);
  expect((await bo.send('POST', path, { content: 'Late' })).body).toMatchObject({ ticketId: into });
  expect((await bo.send('GET', path)).body.items).toEqual([]);
  expect((await bo.send('GET', other)).body.items).toMatchObject([
    { id: draft, content: 'Of the first', ticketId: into },
    { content: 'Late' },
  ]);
  expect((await bo.send('POST', `/reply-drafts/${draft}/send`, { version: 1 })).body).toMatchObject({
    content: 'Of the first',
    ticketId: into,
  });
  // What was sent before stays where it was, and is still not sent twice.
  expect((await bo.send('POST', `/reply-drafts/${sent}/send`, { version: 1 })).body.ticketId).toBe(id);
  // It is to the requester of the merged ticket, too.
  expect((await call('DELETE', `/users/${ada.personId}`)).status).toBe(200);
  const left = await db
    .selectFrom('reply_draft')
    .select('id')
    .where('ticket_message_id', 'is', null)
    .execute();
  expect(left).toEqual([]);
});

it('several agents who send the same draft at the same moment send one message', async () => {
  const { person, call, id, path } = await withTicket();
  const people = await Promise.all([1, 2, 3].map(() => person('agent')));
  const draft = (await call('POST', path, { body: { content: 'Once' } })).body.id;
  const sent = await Promise.all(
    people.map((who) => who.send('POST', `/reply-drafts/${draft}/send`, { version: 1 })),
  );
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await call('GET', `/ticket-messages?ticketId=${id}`)).body.totalCount).toBe(1);
});

it('a ticket has at most 20 unsent replies, and one that is deleted makes room', async () => {
  const { call, path } = await withTicket();
  const add = (content: string) => call('POST', path, { body: { content } });
  const first = (await add('0')).body.id;
  for (let at = 1; at < 20; at += 1) expect((await add(String(at))).status).toBe(200);
  expect((await add('one more')).status).toBe(422);
  expect((await call('DELETE', `/reply-drafts/${first}`)).status).toBe(200);
  expect((await add('one more')).status).toBe(200);
});

it('drafted replies are gone after 30 days, and those by and to an erased person at once', async () => {
  const { ada, person, call, db, path } = await withTicket();
  const bo = await person('agent');
  const count = async () => (await db.selectFrom('reply_draft').select('id').execute()).length;
  await bo.send('POST', path, { content: 'By Bo' });
  const other = (await call('POST', '/tickets', { body: { title: 'Other' } })).body.id;
  await bo.send('POST', `/tickets/${other}/reply-drafts`, { content: 'By Bo elsewhere' });
  await call('POST', `/tickets/${other}/reply-drafts`, { body: { content: 'By a program' } });
  expect((await call('DELETE', `/users/${ada.personId}`)).status).toBe(200);
  expect(await count()).toBe(2);
  expect((await call('DELETE', `/users/${bo.personId}`)).status).toBe(200);
  expect(await count()).toBe(1);
  await pruneReplyDrafts(db, new Date(Date.now() + 29 * DAY_MS));
  expect(await count()).toBe(1);
  await pruneReplyDrafts(db, new Date(Date.now() + 31 * DAY_MS));
  expect(await count()).toBe(0);
});
