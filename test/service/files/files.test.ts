import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { connect } from 'node:net';

import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, test } from 'vitest';

import { createFileClient } from '../../../src/client/index.ts';
import { createPostgresStorage } from '../../../src/service/files/postgres-storage.ts';
import { pruneFiles } from '../../../src/service/files/retention.ts';
import { until } from '../../harness/until.ts';
import { startReceiver } from '../receiver.ts';
import { signIn } from '../signed-in.ts';
import { uploadToMessage } from '../upload.ts';
import { startWithTicket, upload } from './setup.ts';

test('a file of several chunks comes back byte by byte, whole and in ranges', async () => {
  const running = await startWithTicket();
  const bytes = randomBytes(1_700_000);
  const { status, body } = await upload(running, `/tickets/${running.ticket}/files`, {
    bytes,
    name: 'a.bin',
  });
  expect([status, body]).toMatchObject([
    200,
    { name: 'a.bin', type: 'application/octet-stream', size: bytes.length, width: null, thumbnailUrl: null },
  ]);
  expect(body.hash).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(await running.stored()).toMatchObject({ files: 1, contents: 1 });
  const chunks = await running.chunks();
  expect(chunks.map(({ from }) => from)).toEqual([0, ...chunks.map(({ to }) => to).slice(0, -1)]);
  expect(chunks.at(-1)?.to).toBe(bytes.length);
  const [, border = 0] = chunks.map(({ from }) => from);
  expect(border).toBeGreaterThan(0);

  const whole = await running.get(body.url);
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-disposition': `attachment; filename="a.bin"; filename*=UTF-8''a.bin`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/octet-stream',
    'content-length': '1700000',
    etag: `"${body.hash}"`,
  });
  for (const [range, from, to] of [
    ['bytes=0-9', 0, 10],
    [`bytes=${border - 1}-${border - 1}`, border - 1, border],
    [`bytes=${border}-${border}`, border, border + 1],
    [`bytes=${border - 5}-1600000`, border - 5, 1_600_001],
    ['bytes=1699990-', 1_699_990, 1_700_000],
    ['bytes=-5', 1_699_995, 1_700_000],
  ] as const) {
    const part = await running.get(body.url, { range });
    expect([range, part.status, part.headers.get('content-range')]).toEqual([
      range,
      206,
      `bytes ${from}-${to - 1}/1700000`,
    ]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true);
  }
  expect((await running.get(body.url, { range: 'bytes=1700000-' })).status).toBe(400);
  expect((await running.get(body.url, { 'if-none-match': `"${body.hash}"` })).status).toBe(304);
});

test('a file that arrives a few bytes at a time is whole', async () => {
  const { db, workspaceId } = await startWithTicket();
  const storage = createPostgresStorage(db, (prefix) => `${prefix}_slow`);
  const bytes = randomBytes(600_000);
  const each = (async function* () {
    for (let at = 0; at < bytes.length; at += 20) yield bytes.subarray(at, at + 20);
  })();
  const { hash, size, held } = await storage.write(workspaceId, each, new Date());
  expect([hash, size, held]).toEqual([createHash('sha256').update(bytes).digest('hex'), 600_000, undefined]);
  const read = (await Readable.from(storage.read(workspaceId, hash)).toArray()) as Buffer[];
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  await db.deleteFrom('file_chunk').where('position', '>', 0).execute();
  await expect(Readable.from(storage.read(workspaceId, hash)).toArray()).rejects.toThrow('is missing');
});

test('the same bytes are kept once, also when they arrive at the same moment', async () => {
  const running = await startWithTicket();
  for (const bytes of [randomBytes(1_000), randomBytes(1_300_000)]) {
    const [before, bytesBefore] = [await running.stored(), await running.bytes()];
    const uploads = await Promise.all(
      Array.from({ length: 6 }, () => upload(running, `/tickets/${running.ticket}/files`, { bytes })),
    );
    expect(uploads.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const after = await running.stored();
    expect(after.files - before.files).toBe(6);
    expect(after.contents - before.contents).toBe(1);
    expect(await running.bytes()).toBe(bytesBefore + bytes.length);
  }
});

test('a body that is cut, has no file or has two leaves nothing', async () => {
  const running = await startWithTicket();
  const path = `/tickets/${running.ticket}/files`;
  const { hostname, port, pathname } = new URL(`${running.url}${path}`);
  const head = (length: number) =>
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nx-service-api-token: ${running.token}\r\ncontent-type: multipart/form-data; boundary=xx\r\ncontent-length: ${length}\r\n\r\n`;
  const part = '--xx\r\ncontent-disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`${head(5_000_000)}${part}`);
  socket.write(randomBytes(1_500_000));
  await until('a chunk is stored', async () => (await running.stored()).chunks > 0);
  socket.destroy();
  await until('its chunks are removed', async () => (await running.stored()).chunks === 0);

  const send = async (body: string | Buffer) => {
    const answer = await fetch(`${running.url}${path}`, {
      method: 'POST',
      headers: { 'x-service-api-token': running.token, 'content-type': 'multipart/form-data; boundary=xx' },
      body: new Uint8Array(Buffer.from(body)),
    });
    return [answer.status, ((await answer.json()) as { message: string }).message];
  };
  expect(await send(Buffer.concat([Buffer.from(part), randomBytes(1_000_000)]))).toMatchObject([
    400,
    expect.stringContaining('ended before'),
  ]);
  const type = 'content-type: application/octet-stream\r\n';
  for (const headers of [
    'content-disposition: form-data; name="a"\r\n',
    `content-disposition: form-data\r\n${type}`,
    `content-disposition: attachment\r\n${type}`,
    type,
    '',
  ])
    expect([headers, ...(await send(`--xx\r\n${headers}\r\nb\r\n--xx--\r\n`))]).toMatchObject([
      headers,
      400,
      expect.stringContaining('file name'),
    ]);
  expect(await send(`${part}one\r\n${part}two\r\n--xx--\r\n`)).toMatchObject([
    400,
    expect.stringContaining('one file'),
  ]);
  const json = await running.call('POST', path, { body: {} });
  expect(json.status).toBe(415);
  expect((await running.stored()).files).toBe(0);
  expect((await upload(running, path)).status).toBe(200);
});

test('a file is stored under the name that its part gives, however that is written, and never fails for want of one', async () => {
  const running = await startWithTicket();
  const { id: message } = await running.post('/ticket-messages', {
    ticketId: running.ticket,
    content: 'see',
  });
  const send = async (path: string, disposition: string, type: string, bytes: string) => {
    const answer = await fetch(`${running.url}${path}`, {
      method: 'POST',
      headers: { 'x-service-api-token': running.token, 'content-type': 'multipart/form-data; boundary=xx' },
      body: `--xx\r\ncontent-disposition: form-data; ${disposition}\r\ncontent-type: ${type}\r\n\r\n${bytes}\r\n--xx--\r\n`,
    });
    const body = (await answer.json()) as { name?: string; items?: { name: string }[] };
    return [answer.status, body.name ?? body.items?.[0]?.name];
  };
  const binary = 'application/octet-stream';
  for (const path of ['/files', `/tickets/${running.ticket}/files`, `/ticket-messages/${message}/files`]) {
    expect(await send(path, 'name="file"', binary, '%PDF-1.7')).toEqual([200, 'file.pdf']);
    expect(await send(path, 'name="file"', binary, 'words')).toEqual([200, 'file.txt']);
    expect(await send(path, 'name="file"; filename=""', binary, '\u0000\u0001')).toEqual([200, 'file']);
    expect((await send(path, 'name="file"', 'text/plain', 'words'))[0]).toBe(400);
  }
  const path = `/tickets/${running.ticket}/files`;
  for (const [disposition, name] of [
    ['name="file"; filename="a%22b.txt"', 'a_b.txt'],
    ['name="file"; filename="a%0D%0Ab.txt"', 'ab.txt'],
    ['name="file"; filename="a%0d%0ab.txt"', 'ab.txt'],
    ['name="file"; filename="100%25.txt"', '100%25.txt'],
    ['name="file"; filename="%41.txt"', '%41.txt'],
    ['name="file"; filename=".env"', '.env'],
    ['name="file"; filename="Übersicht.png"', 'Übersicht.png'],
    ['name="file"; filename=plain.txt', 'plain.txt'],
    ["name=file; filename*=UTF-8''%C3%9Cber%20sicht.png", 'Über sicht.png'],
    // Both, as browsers' libraries and other programs send them: the one with its encoding counts, in either order.
    [`name="file"; filename="_.png"; filename*=UTF-8''%C3%9Cbersicht.png`, 'Übersicht.png'],
    [`name="file"; filename*=UTF-8''%C3%9Cbersicht.png; filename="_.png"`, 'Übersicht.png'],
    [`name="file"; filename=_.png;filename*=utf-8'de'%C3%9Cbersicht.png`, 'Übersicht.png'],
    [`name="file"; FileName*="UTF-8''%E5%9B%B3.png"; filename="_.png"`, '図.png'],
    [`name="file"; filename="a;b.png"; filename*=iso-8859-1''%DCber.png`, 'Über.png'],
    [`name="file"; filename="a\\"; filename*=x.png"; filename*=UTF-8''b.png`, 'b.png'],
    [`name="file"; filename="_.png"; filename*=UTF-8''%2522.png`, '%22.png'],
    [`name="file"; filename="_.png"; filename*=UTF-8''..%2F..%2Fb.png`, 'b.png'],
    // Not readable, so the other one counts.
    [`name="file"; filename="a.png"; filename*=UTF-8''%DC.png`, 'a.png'],
    [`name="file"; filename="a.png"; filename*=nonsense''b.png`, 'a.png'],
    [`name="file"; filename="a.png"; filename*=UTF-8''`, 'a.png'],
    [`name="file"; filename="a.png"; filename*=b.png`, 'a.png'],
    [`name="file"; filename="a.png"; filename*=UTF-8''%zz.png`, 'a.png'],
    [`name="file"; filename="filename*=UTF-8''b.png"`, "filename_=UTF-8''b.png"],
  ] as const)
    expect(await send(path, disposition, binary, 'words'), disposition).toEqual([200, name]);
  const client = createFileClient({ baseUrl: running.url, token: running.token });
  const named = async (name: string) =>
    (await client.upload({ ticketId: running.ticket, name, bytes: Readable.from([Buffer.from('x')]) })).name;
  expect(await Promise.all(['a"b.txt', '.gitignore', 'ü%.txt', 'a\r\nb.txt'].map(named))).toEqual([
    'a_b.txt',
    '.gitignore',
    'ü%.txt',
    'ab.txt',
  ]);
  await client.close();
});

test('a client sends no faster than its file is stored', async () => {
  const running = await startWithTicket();
  const megabyte = randomBytes(1024 ** 2);
  let sent = 0;
  const bytes = (async function* () {
    for (; sent < 32; sent++) yield megabyte;
  })();
  const client = createFileClient({ baseUrl: running.url, token: running.token });
  let uploading: Promise<unknown> = Promise.resolve();
  await running.db.transaction().execute(async (tx) => {
    await sql`lock table file_chunk in exclusive mode`.execute(tx);
    uploading = client.upload({ ticketId: running.ticket, name: 'big', bytes });
    let [seen, same] = [-1, 0];
    await until('the client waits', async () => {
      same = sent > 0 && sent === seen ? same + 1 : 0;
      seen = sent;
      return same >= 5;
    });
  });
  // What two processes and the connections between them hold.
  const held = sent;
  expect(held).toBeLessThan(25);
  expect(await uploading).toMatchObject({ size: 32 * 1024 ** 2 });
  await client.close();
});

test('files of a message are on its record, its events and the list of the ticket, and go with it', async () => {
  const running = await startWithTicket();
  const { post, ticket, call } = running;
  const hook = await startReceiver();
  await post('/webhooks', { url: hook.url });
  const path = `/tickets/${ticket}/files`;
  const { body: first } = await upload(running, path, { name: 'a.txt' });
  expect((await call('GET', path)).body.totalCount).toBe(0);
  const message = await post('/ticket-messages', { ticketId: ticket, content: 'See', fileIds: [first.id] });
  const shown = { id: first.id, name: 'a.txt', type: 'text/plain', size: 5, url: `/api/files/${first.id}` };
  expect(message.files).toMatchObject([shown]);
  const [second] = (await uploadToMessage(running, message.id, [{ name: 'b.txt' }])).files;
  await upload(running, `${path}?attach=true`, { name: 'c.txt' });
  const listed = await call('GET', `/ticket-messages?ticketId=${ticket}`);
  expect(listed.body.items).toMatchObject([{ files: [shown, { id: second?.id, name: 'b.txt' }] }]);
  const detail = await call('GET', `/tickets/${ticket}`);
  expect(detail.body).toMatchObject({ files: [{ name: 'c.txt' }] });
  expect((await call('GET', path)).body.totalCount).toBe(3);

  const again = await running.call('POST', '/ticket-messages', {
    body: { ticketId: ticket, content: 'Again', fileIds: [first.id] },
  });
  expect([again.status, again.body.issues?.[0]?.path]).toEqual([422, 'fileIds']);

  const events = (await hook.received(3)).map(({ body }) => JSON.parse(body) as Record<string, never>);
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'Message',
        action: 'created',
        data: expect.objectContaining({ files: [expect.objectContaining(shown)] }) as unknown,
      }),
      expect.objectContaining({
        type: 'Message',
        action: 'updated',
        data: expect.objectContaining({ files: [expect.anything(), expect.anything()] }) as unknown,
      }),
      expect.objectContaining({
        type: 'Ticket',
        action: 'updated',
        changes: { files: [[], [expect.objectContaining({ name: 'c.txt' })]] },
      }),
    ]),
  );

  expect((await call('DELETE', `/files/${second?.id}`)).status).toBe(200);
  expect((await running.get(second?.url ?? '')).status).toBe(404);
  await call('DELETE', `/ticket-messages/${message.id}`);
  expect((await running.get(first.url)).status).toBe(404);
  expect((await call('GET', path)).body.totalCount).toBe(1);
});

test('a ticket takes files that were uploaded before it', async () => {
  const running = await startWithTicket();
  const { body } = await upload(running, '/files', { name: 'form.txt' });
  expect(body).toMatchObject({ ticketId: null, attachedAt: null });
  const ticket = await running.post('/tickets', { title: 'From a form', fileIds: [body.id] });
  expect(ticket.files).toMatchObject([{ name: 'form.txt' }]);
  expect((await running.call('GET', `/tickets/${ticket.id}`)).body).toMatchObject({
    files: [{ name: 'form.txt' }],
  });
});

test('a file is visible as its message or ticket is, before that only to its author', async () => {
  const running = await startWithTicket();
  const { db, workspaceId, post, get } = running;
  const a = (await post('/queues', { name: 'A', prefix: 'AAA' })).id;
  const b = (await post('/queues', { name: 'B', prefix: 'BBB' })).id;
  const requester = await signIn(db, workspaceId, { role: 'requester' });
  const stranger = await signIn(db, workspaceId, { role: 'requester' });
  const agent = await signIn(db, workspaceId, { role: 'agent', queueIds: [a] });
  const other = await signIn(db, workspaceId, { role: 'agent', queueIds: [b] });
  const { id: ticket } = await post('/tickets', {
    title: 'Private',
    queueId: a,
    private: true,
    requesterId: requester.personId,
  });
  const path = `/tickets/${ticket}/files`;
  const statuses = async (url: string) =>
    Promise.all(
      [requester, stranger, agent, other].map(async ({ token }) => (await get(url, {}, token)).status),
    );
  const attached = (await upload(running, `${path}?attach=true`)).body;
  expect(await statuses(attached.url)).toEqual([200, 404, 200, 404]);
  const note = await post('/ticket-messages', { ticketId: ticket, content: 'Note', private: true });
  const [secret] = (await uploadToMessage(running, note.id)).files;
  expect(await statuses(secret?.url ?? '')).toEqual([404, 404, 200, 404]);
  const count = async (token: string) => (await running.call('GET', path, { token })).body.totalCount;
  expect([await count(requester.token), await count(agent.token)]).toEqual([1, 2]);
  const own = await upload(running, path, { token: requester.token });
  expect([own.status, own.body.authorId]).toEqual([200, requester.personId]);
  expect(await statuses(own.body.url)).toEqual([200, 404, 404, 404]);
  expect((await upload(running, path, { token: stranger.token })).status).toBe(404);
  expect(
    (await upload(running, `${path}?authorId=${requester.personId}`, { token: agent.token })).status,
  ).toBe(403);

  const steal = await running.call('POST', '/ticket-messages', {
    token: agent.token,
    body: { ticketId: ticket, content: 'Mine', fileIds: [own.body.id] },
  });
  expect(steal.status).toBe(422);
  const said = await running.call('POST', '/ticket-messages', {
    token: requester.token,
    body: { ticketId: ticket, content: 'Mine', fileIds: [own.body.id] },
  });
  expect(said.status).toBe(200);
  expect(await statuses(own.body.url)).toEqual([200, 404, 200, 404]);
  const remove = async (id: string, token: string) =>
    (await running.call('DELETE', `/files/${id}`, { token })).status;
  expect(await remove(attached.id, requester.token)).toBe(403);
  expect(await remove(attached.id, other.token)).toBe(404);
  expect(await remove(own.body.id, requester.token)).toBe(200);
  expect(await remove(attached.id, agent.token)).toBe(403);
  expect(await remove(attached.id, running.token)).toBe(200);
  expect((await get(secret?.url ?? '', {}, 'dbk_wrong_token_wrong')).status).toBe(401);
});

test('an image has a small copy, drawn once; a bomb and a broken image have none', async () => {
  const running = await startWithTicket();
  const path = `/tickets/${running.ticket}/files`;
  const image = await sharp({ create: { width: 1600, height: 800, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  const { body } = await upload(running, path, { bytes: image, name: 'shot.png' });
  expect(body).toMatchObject({ type: 'image/png', width: 1600, height: 800 });
  expect(body.thumbnailUrl).toBe(`/api/files/${body.id}/thumbnail`);
  for (let n = 0; n < 2; n++) {
    const small = await running.get(body.thumbnailUrl ?? '');
    expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const { width, height } = await sharp(Buffer.from(await small.arrayBuffer())).metadata();
    expect([width, height]).toEqual([640, 320]);
  }
  expect(await running.db.selectFrom('file_thumbnail').selectAll().execute()).toHaveLength(1);

  const bomb = Buffer.from(image);
  bomb.writeInt32BE(60_000, 16);
  bomb.writeInt32BE(60_000, 20);
  const huge = await upload(running, path, { bytes: bomb, name: 'bomb.png' });
  expect(huge.body).toMatchObject({ type: 'image/png', width: 60_000, thumbnailUrl: null });
  expect((await running.get(`${huge.body.url}/thumbnail`)).status).toBe(404);
  const liar = Buffer.from(image.subarray(0, 60));
  const broken = await upload(running, path, { bytes: liar, name: 'broken.png' });
  expect((await running.get(broken.body.thumbnailUrl ?? '')).status).toBe(404);
});

test('files that are never attached and contents without a file are removed, in time', async () => {
  const running = await startWithTicket();
  const { db, ticket } = running;
  const storage = createPostgresStorage(db, (prefix) => `${prefix}_unused`);
  await upload(running, `/tickets/${ticket}/files`, { bytes: Buffer.from('waiting') });
  const kept = await upload(running, `/tickets/${ticket}/files?attach=true`, { bytes: Buffer.from('kept') });
  const at = (hours: number) => new Date(Date.parse(kept.body.createdAt) + hours * 3_600_000);
  expect(await pruneFiles(db, storage, at(23))).toEqual({ files: 0, contents: 0 });
  expect(await pruneFiles(db, storage, at(25))).toEqual({ files: 1, contents: 1 });
  expect(await running.stored()).toEqual({ files: 1, contents: 1, chunks: 1 });
  await running.call('DELETE', `/files/${kept.body.id}`);
  expect(await pruneFiles(db, storage, at(0.5))).toEqual({ files: 0, contents: 0 });
  expect(await pruneFiles(db, storage, at(2))).toEqual({ files: 0, contents: 1 });
  expect(await running.stored()).toEqual({ files: 0, contents: 0, chunks: 0 });
});

test('what an upload has stored when its service is killed is removed, in time', async () => {
  const { db, workspaceId, stored } = await startWithTicket();
  let ids = 0;
  const storage = createPostgresStorage(db, (prefix) => `${prefix}_cut_${++ids}`);
  const now = new Date();
  // The stream never ends, as far as the database knows.
  const written = Promise.withResolvers<undefined>();
  const forever = Promise.withResolvers<Buffer>();
  void storage.write(
    workspaceId,
    (async function* () {
      yield Buffer.alloc(1024 * 1024 + 1);
      written.resolve(undefined);
      yield await forever.promise;
    })(),
    now,
  );
  await written.promise;
  await until('the chunk is stored', async () => (await stored()).chunks > 0);
  // The bytes of a small one are stored just before its file.
  const small = await storage.write(workspaceId, Readable.from([Buffer.from('small')]), now);
  await storage.keep(workspaceId, [small], now);
  expect(await stored()).toMatchObject({ contents: 2, chunks: 2 });
  const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  expect(await pruneFiles(db, storage, hoursLater(0.5))).toEqual({ files: 0, contents: 0 });
  expect(await pruneFiles(db, storage, hoursLater(2))).toEqual({ files: 0, contents: 2 });
  expect(await stored()).toEqual({ files: 0, contents: 0, chunks: 0 });
});

test('a person who is erased is no longer in the names of their files', async () => {
  const running = await startWithTicket();
  const { db, ticket } = running;
  const { id } = await running.post('/users', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@acme.example',
  });
  const path = `/tickets/${ticket}/files?attach=true&authorId=${id}`;
  const { body } = await upload(running, path, { name: 'CV_Ada_Lovelace.pdf' });
  await running.call('DELETE', `/users/${id}`);
  await until('the name is replaced', async () => {
    const { name } = await db
      .selectFrom('file')
      .select('name')
      .where('id', '=', body.id)
      .executeTakeFirstOrThrow();
    return !/ada|lovelace/i.test(name) && name.endsWith('.pdf');
  });
});
