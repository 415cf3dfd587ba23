import { randomBytes } from 'node:crypto';

import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { createPostgresStorage } from '../../../src/service/files/postgres-storage.ts';
import { pruneFiles } from '../../../src/service/files/retention.ts';
import { WorkspaceRoom } from '../../../src/service/file-records/room.ts';
import { until } from '../../harness/until.ts';
import { uploadToMessage } from '../upload.ts';
import { startWithTicket, upload } from './setup.ts';

test('a file over the limit is refused with the limit, and leaves nothing', async () => {
  const running = await startWithTicket({ files: { file: 1024 ** 2 } });
  const path = `/tickets/${running.ticket}/files`;
  const { status, body } = await upload(running, path, { bytes: randomBytes(1024 ** 2 + 1) });
  expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(body.message).toContain('1 MB');
  expect((await upload(running, path, { bytes: randomBytes(5 * 1024 ** 2) })).status).toBe(413);
  expect(await running.stored()).toEqual({ files: 0, contents: 0, chunks: 0 });
  expect((await upload(running, path, { bytes: randomBytes(1024 ** 2) })).status).toBe(200);
});

test('what a workspace has is read once a minute, and before it is said to be full', async () => {
  const running = await startWithTicket();
  const { db, ticket, workspaceId } = running;
  const room = new WorkspaceRoom(db, 1_000);
  const require = (size: number, second: number) =>
    room.require(workspaceId, size, new Date(1_800_000_000_000 + second * 1_000));
  await require(1_000, 0);
  // What was counted and then not stored does not take room for longer than it seems to be full.
  room.added(workspaceId, 400);
  await expect(require(1_001, 1)).rejects.toMatchObject({ status: 422 });
  await require(1_000, 1);
  // What another process stores is noticed a minute later.
  await upload(running, `/tickets/${ticket}/files`, { bytes: randomBytes(400) });
  await require(1_000, 60);
  await expect(require(601, 61)).rejects.toMatchObject({ status: 422 });
  await require(600, 61);
});

test('a full ticket and a full workspace are refused with what to do', async () => {
  const running = await startWithTicket({ files: { workspace: 1000 } });
  const path = `/tickets/${running.ticket}/files`;
  expect((await upload(running, path, { bytes: randomBytes(1001) })).status).toBe(200);
  const full = await upload(running, path);
  expect([full.status, full.body.message]).toMatchObject([422, expect.stringContaining('FILES_GIGABYTES')]);
  const other = await startWithTicket();
  const { body } = await upload(other, `/tickets/${other.ticket}/files`);
  const row = await other.db.selectFrom('file').selectAll().executeTakeFirstOrThrow();
  await other.db
    .insertInto('file')
    .values(Array.from({ length: 199 }, (_, n) => ({ ...row, id: `${body.id}${n}` })))
    .execute();
  const many = await upload(other, `/tickets/${other.ticket}/files`);
  expect([many.status, many.body.message]).toMatchObject([422, expect.stringContaining('200')]);
});

test('the last place on a ticket is given once, whether a file is attached at once or later', async () => {
  const running = await startWithTicket();
  const { post, ticket, db } = running;
  const { id: messageId } = await post('/ticket-messages', { ticketId: ticket, content: 'see' });
  const path = `/tickets/${ticket}/files`;
  const { body } = await upload(running, path);
  const row = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow();
  const others = Array.from({ length: 198 }, (_, n) => ({ ...row, id: `${body.id}${n}` }));
  await db.insertInto('file').values(others).execute();
  const wait = async (count: number) =>
    until(`${count} uploads wait for the ticket`, async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return rows.length === count;
    });
  const uploads: Promise<{ status: number }>[] = [];
  await db.transaction().execute(async (tx) => {
    await tx.updateTable('ticket').set({ title: 'Locked' }).where('id', '=', ticket).execute();
    // The second one has looked for room before the first one takes it.
    for (const one of [() => upload(running, path), () => uploadToMessage(running, messageId)]) {
      uploads.push(one());
      await wait(uploads.length);
    }
  });
  expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([200, 422]);
});

test('the files of one request have the limits of one file together, and need a place each', async () => {
  const running = await startWithTicket({ files: { file: 1024 ** 2 } });
  const { post, ticket, db } = running;
  const { id: messageId } = await post('/ticket-messages', { ticketId: ticket, content: 'see' });
  const send = async (...sizes: number[]) => {
    const parts = sizes.map((size) => ({ bytes: randomBytes(size) }));
    return (await uploadToMessage(running, messageId, parts)).status;
  };
  // Less than what is refused by its length alone.
  expect(await send(600_000, 450_000)).toBe(413);
  // The bytes of the first one may have been stored before the second was too large: they are removed in time.
  expect((await running.stored()).files).toBe(0);
  const storage = createPostgresStorage(db, (prefix) => `${prefix}_unused`);
  await pruneFiles(db, storage, new Date(Date.now() + 2 * 3_600_000));
  expect(await running.stored()).toEqual({ files: 0, contents: 0, chunks: 0 });
  expect(await send(500_000, 500_000)).toBe(200);
  const row = await db.selectFrom('file').selectAll().executeTakeFirstOrThrow();
  const others = Array.from({ length: 197 }, (_, n) => ({ ...row, id: `${row.id}${n}` }));
  await db.insertInto('file').values(others).execute();
  expect([await send(10, 11), await send(12)]).toEqual([422, 200]);
});
