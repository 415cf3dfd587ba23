import { expect, it } from 'vitest';

import { until } from '../../harness/until.ts';
import { MovableClock } from '../clock.ts';
import { withPeople } from './people.ts';

const DAY_MS = 86_400_000;

it('a draft is its writer’s alone, one per ticket, found by the ticket’s reference, and gone when deleted', async () => {
  const { person, call } = await withPeople();
  const [ada, bo] = [await person('agent'), await person('agent')];
  const ticket = (await call('POST', '/tickets', { body: { title: 'T' } })).body as unknown as {
    id: string;
    code: string;
  };
  const path = `/tickets/${ticket.id}/draft`;
  expect(await ada.send('GET', path)).toMatchObject({ status: 200, body: null });
  await ada.send('PUT', path, { content: 'One' });
  const stored = (await ada.send('PUT', `/tickets/${ticket.code}/draft`, { content: 'Two', isPrivate: true }))
    .body;
  expect(stored).toMatchObject({ content: 'Two', isPrivate: true });
  await bo.send('PUT', path, { content: 'Of Bo' });
  expect((await ada.send('GET', path)).body).toEqual(stored);
  expect((await ada.send('DELETE', path)).body).toEqual(stored);
  for (const method of ['GET', 'DELETE'])
    expect(await ada.send(method, path)).toMatchObject({ status: 200, body: null });
  expect((await bo.send('GET', path)).body).toMatchObject({ content: 'Of Bo', isPrivate: false });
});

it('a key has no drafts: it gets the answer for one that does not exist', async () => {
  const { call } = await withPeople();
  const { id } = (await call('POST', '/tickets', { body: { title: 'T' } })).body;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status } = await call(method, `/tickets/${id}/draft`, {
      ...(method === 'PUT' && { body: { content: 'x' } }),
    });
    expect([method, status]).toEqual([method, 404]);
  }
});

it('drafts that were not changed for 30 days are deleted', async () => {
  const clock = new MovableClock();
  const { person, call, db } = await withPeople({ clock, retention: { days: 90, everyMs: 50 } });
  const ada = await person('agent');
  const [old, recent] = [
    (await call('POST', '/tickets', { body: { title: 'Old' } })).body.id,
    (await call('POST', '/tickets', { body: { title: 'Recent' } })).body.id,
  ];
  await db
    .insertInto('ticket_draft')
    .values(
      [old, recent].map((ticketId, at) => ({
        ...{ workspace_id: ada.workspaceId, ticket_id: ticketId, person_id: ada.personId },
        ...{ content: 'Not sent', is_private: false },
        updated_at: new Date(clock.now().getTime() - (at === 0 ? 30 * DAY_MS + 1 : 29 * DAY_MS)),
      })),
    )
    .execute();
  const left = await until('the old draft to be deleted', async () => {
    const rows = await db.selectFrom('ticket_draft').select('ticket_id').execute();
    return rows.length === 1 ? rows : undefined;
  });
  expect(left).toEqual([{ ticket_id: recent }]);
});
