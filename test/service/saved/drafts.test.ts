import { expect, it } from 'vitest';

import { createPostgresStorage } from '../../../src/service/files/postgres-storage.ts';
import { pruneFiles } from '../../../src/service/files/retention.ts';
import { until } from '../../harness/until.ts';
import { MovableClock } from '../clock.ts';
import { uploadFile } from '../upload.ts';
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

it('a draft keeps files that its writer uploaded to the ticket, until they are attached; any other file is refused', async () => {
  const running = await withPeople();
  const { person, call, db } = running;
  const [ada, bo] = [await person('agent'), await person('agent')];
  const ticketIds = await Promise.all(
    ['One', 'Other'].map(async (title) => (await call('POST', '/tickets', { body: { title } })).body.id),
  );
  const [id = '', otherId = ''] = ticketIds;
  const upload = async (ticketId: string, { token }: { token: string }) =>
    (await uploadFile(running, `/tickets/${ticketId}/files`, { token })).body;
  const [one, two] = [await upload(id, ada), await upload(id, ada)];
  const path = `/tickets/${id}/draft`;
  const fileIds = [two.id, one.id];
  const { status, body } = await ada.send('PUT', path, { content: '', fileIds });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { files: fileIds.map((fileId) => ({ id: fileId, name: 'note.txt' })) },
  });
  expect((await ada.send('GET', path)).body).toEqual(body);
  for (const wrong of [(await upload(id, bo)).id, (await upload(otherId, ada)).id, 'fil_none'])
    expect(await ada.send('PUT', path, { content: 'x', fileIds: [wrong] })).toMatchObject({
      status: 422,
      body: { issues: [{ path: 'fileIds' }] },
    });

  // They are not removed while the draft names them.
  const storage = createPostgresStorage(db, (prefix) => `${prefix}_unused`);
  const later = new Date(Date.parse(one.createdAt) + 2 * DAY_MS);
  expect(await pruneFiles(db, storage, later)).toMatchObject({ files: 2 });
  expect((await ada.send('GET', path)).body).toEqual(body);

  // What is sent or deleted is no longer in the draft.
  await ada.send('POST', '/ticket-messages', { ticketId: id, content: 'Here', fileIds: [one.id] });
  expect((await ada.send('GET', path)).body).toMatchObject({ files: [{ id: two.id }] });
  await ada.send('DELETE', path);
  expect(await pruneFiles(db, storage, later)).toMatchObject({ files: 1 });
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
        workspace_id: ada.workspaceId,
        ticket_id: ticketId,
        person_id: ada.personId,
        content: 'Not sent',
        is_private: false,
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
