import { randomBytes } from 'node:crypto';

import { expect, test } from 'vitest';

import type { TicketFile } from '../../../src/contract/index.ts';
import { startReceiver } from '../receiver.ts';
import { signIn } from '../signed-in.ts';
import { uploadToMessage } from '../upload.ts';
import { startWithTicket, upload } from './setup.ts';

test('of uploads to a ticket with one key, the first stores a file, and the others answer with it', async () => {
  const running = await startWithTicket();
  const { ticket, post } = running;
  const { id: messageId } = await post('/ticket-messages', { ticketId: ticket, content: 'see' });
  const send = (bytes = Buffer.from('hello')) => uploadToMessage(running, messageId, [{ key: 'F1', bytes }]);
  const both = await Promise.all([send(), send()]);
  const again = await send(randomBytes(2_000_000));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const [first] = both[0].files;
  expect([both[1].files, again.files]).toEqual([[first], [first]]);
  const toTicket = await upload(running, `/tickets/${ticket}/files?attach=true&key=F1`);
  expect(toTicket.body).toEqual(first);
  expect(await running.stored()).toMatchObject({ files: 1 });
  // Each ticket has keys of its own.
  const { id: other } = await post('/tickets', { title: 'Another' });
  const elsewhere = await upload(running, `/tickets/${other}/files?attach=true&key=F1`);
  expect(elsewhere.body.id).not.toBe(first?.id);
  const listed = async (key: string) =>
    ((await (await running.get(`/tickets/${ticket}/files?key=${key}`)).json()) as { items: unknown[] }).items;
  expect([(await listed('F1')).length, (await listed('F2')).length]).toEqual([1, 0]);
});

test('the key of a file that the uploader may not see is 409, says nothing of that file, and another key is free', async () => {
  const running = await startWithTicket();
  const { db, ticket, post, workspaceId } = running;
  const { id: queueId } = await post('/queues', { name: 'Other', prefix: 'OTH' });
  const requester = await signIn(db, workspaceId, { role: 'requester' });
  const stranger = await signIn(db, workspaceId, { role: 'agent', queueIds: [queueId] });
  await running.call('PUT', `/tickets/${ticket}`, { body: { data: { requesterId: requester.personId } } });
  await running.call('PUT', `/tickets/${ticket}`, {
    body: { data: { followers: [{ id: stranger.personId }] } },
  });
  const note = await post('/ticket-messages', { ticketId: ticket, content: 'See', private: true });
  const part = { key: 'contract', name: 'dismissal.pdf', bytes: Buffer.from('secret') };
  const { files } = await uploadToMessage(running, note.id, [part]);
  expect(files).toHaveLength(1);
  // Not attached yet: its author's alone.
  await upload(running, `/tickets/${ticket}/files?key=draft`, { name: 'draft.txt' });

  for (const { token } of [requester, stranger])
    for (const key of ['contract', 'draft'])
      for (const attach of [true, false]) {
        const path = `/tickets/${ticket}/files?attach=${String(attach)}&key=`;
        const { status, body } = await upload(running, path + key, { token });
        expect([key, attach, status, body]).toMatchObject([
          key,
          attach,
          409,
          { code: 'CONFLICT', issues: [{ path: 'key' }] },
        ]);
        expect(JSON.stringify(body)).not.toMatch(/dismissal|draft\.txt|fil_/);
      }
  const { token } = requester;
  const mine = await upload(running, `/tickets/${ticket}/files?attach=true&key=mine`, {
    token,
    name: 'my.txt',
  });
  const again = await upload(running, `/tickets/${ticket}/files?attach=true&key=mine`, { token });
  expect([mine.status, again.status, again.body]).toEqual([200, 200, mine.body]);
  // Who reads the note gets its file, and so does a key.
  const { body } = await upload(running, `/tickets/${ticket}/files?attach=true&key=contract`);
  expect(body.name).toBe('dismissal.pdf');
});

test('the key of another person’s file that is not attached yet is 409 for a message, and none of its files is stored', async () => {
  const running = await startWithTicket();
  const { db, post, workspaceId, ticket } = running;
  const agent = await signIn(db, workspaceId, { role: 'agent' });
  const { id: messageId } = await post('/ticket-messages', { ticketId: ticket, content: 'See' });
  await upload(running, `/tickets/${ticket}/files?key=A`, { name: 'draft.txt' });
  const send = (...keys: string[]) =>
    uploadToMessage(
      { ...running, token: agent.token },
      messageId,
      keys.map((key) => ({ key, name: `${key}.txt` })),
    );
  const refused = await send('A', 'B');
  expect([refused.status, refused.body]).toMatchObject([409, { issues: [{ path: 'key' }] }]);
  expect(await running.stored()).toMatchObject({ files: 1 });
  expect((await send('B')).files.map(({ name }) => name)).toEqual(['B.txt']);
});

test('files that one request brings to a message are all stored with one event, or none of them is', async () => {
  const running = await startWithTicket();
  const { post, ticket, call, db } = running;
  const hook = await startReceiver();
  await post('/webhooks', { url: hook.url });
  const message = await post('/ticket-messages', { ticketId: ticket, content: 'See' });
  const same = randomBytes(1_000);
  const large = randomBytes(1_300_000);
  const parts = [
    { key: 'A', name: 'a.bin', bytes: same },
    { name: 'b.bin', bytes: large },
    { key: 'C', name: 'c.bin', bytes: same },
  ];
  const { files } = await uploadToMessage(running, message.id, parts);
  expect(files.map(({ name, size }) => [name, size])).toEqual([
    ['a.bin', 1_000],
    ['b.bin', 1_300_000],
    ['c.bin', 1_000],
  ]);
  for (const [at, { url }] of files.entries())
    expect(Buffer.from(await (await running.get(url)).arrayBuffer()).equals(parts[at]?.bytes ?? same)).toBe(
      true,
    );
  expect(await running.stored()).toMatchObject({ files: 3, contents: 2 });
  // Those that are there are returned in their places.
  const again = await uploadToMessage(running, message.id, [
    { key: 'D', name: 'd.bin' },
    ...parts.slice(0, 1),
  ]);
  expect(again.files.map(({ id, name }) => (name === 'a.bin' ? id : name))).toEqual(['d.bin', files[0]?.id]);
  const events = (await hook.received(3)).map(
    ({ body }) => JSON.parse(body) as { data: { files: TicketFile[] } },
  );
  const counts = events.map(({ data }) => data.files.length);
  expect(counts.toSorted((a, b) => a - b)).toEqual([0, 3, 4]);

  const refused = async (...wrong: Parameters<typeof uploadToMessage>[2][]) =>
    Promise.all(wrong.map(async (one) => (await uploadToMessage(running, message.id, one)).status));
  const many = Array.from({ length: 11 }, (_, n) => ({ name: `${n}.txt`, bytes: randomBytes(10) }));
  expect(await refused(many, [{ key: 'E' }, { key: 'E' }], [{ key: 'x'.repeat(1_001) }])).toEqual([
    400, 400, 400,
  ]);
  const { files: listed } = (await call('GET', `/ticket-messages/${message.id}`))
    .body as unknown as (typeof events)[0]['data'];
  expect(listed).toHaveLength(4);
  await call('DELETE', `/ticket-messages/${message.id}`);
  expect(await refused([{}, {}])).toEqual([409]);
  expect((await db.selectFrom('file').select('id').execute()).length).toBe(0);
});

test('files that arrive at the same moment on messages of one ticket are all on their records and in their last events', async () => {
  const running = await startWithTicket();
  const { post, ticket, call } = running;
  const hook = await startReceiver();
  await post('/webhooks', { url: hook.url });
  const messages = await Promise.all(
    ['One', 'Two'].map((content) => post('/ticket-messages', { ticketId: ticket, content })),
  );
  const uploads = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      uploadToMessage(running, messages[n % 2]?.id ?? '', [{ name: `${n}.txt` }]),
    ),
  );
  expect(uploads.map(({ status }) => status)).toEqual(Array(12).fill(200));
  const events = (await hook.received(14)).map(
    ({ body }) => JSON.parse(body) as { data: { id: string; updatedAt: string; files: TicketFile[] } },
  );
  for (const [at, { id }] of messages.entries()) {
    const names = uploads.map(({ files }) => files[0]?.name).filter((_, n) => n % 2 === at);
    const { body } = await call('GET', `/ticket-messages/${id}`);
    const last = events
      .map(({ data }) => data)
      .filter((data) => data.id === id)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    expect(last.map(({ files }) => files.length)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { files } of [body as unknown as { files: TicketFile[] }, last.at(-1) ?? { files: [] }])
      expect(new Set(files.map(({ name }) => name))).toEqual(new Set(names));
  }
});
