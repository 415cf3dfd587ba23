import type {
  FileChangeEvent,
  FileCreatedEvent,
  FileDeletedEvent,
  FileShareMessageEvent,
  FileSharedEvent,
} from '@slack/types';
import { ErrorCode, type WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { expect, expectTypeOf, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';
import { LIMITS } from '../../src/sandbox/limits.ts';
import { Database } from '../../src/sandbox/store/database.ts';
import type { SharePlan } from '../../src/sandbox/workspace/content.ts';
import type { fileObject } from '../../src/sandbox/workspace/files.ts';
import type { fileEvent } from '../../src/sandbox/workspace/files-share.ts';
import { ADA, boltApp, BOT, HELP, Mailbox, openSandbox, SEED, webClient } from './open-sandbox.ts';
import { rawSocket } from './raw-socket.ts';
import { sandboxFile } from './sandbox-file.ts';

/** One red dot, 3 × 2. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==',
  'base64',
);

async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return '';
  } catch (error) {
    const failure = error as WebAPIPlatformError;
    expect(failure.code).toBe(ErrorCode.PlatformError);
    return failure.data.error;
  }
}

const read = (url: string, token: string = SEED.app.botToken) =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } });

const bytesOf = async (response: Response | undefined) =>
  Buffer.from((await response?.arrayBuffer()) ?? new ArrayBuffer());

/** A file of the app with uploaded bytes, not shared yet. */
async function uploadOne(client: WebClient, filename: string, bytes: Buffer): Promise<string> {
  const { upload_url = '', file_id = '' } = await client.files.getUploadURLExternal({
    filename,
    length: bytes.length,
  });
  const response = await fetch(upload_url, { method: 'POST', body: new Uint8Array(bytes) });
  expect([response.status, await response.text()]).toEqual([200, `OK - ${bytes.length}`]);
  return file_id;
}

/** Rows that a test adds to the tables of a stopped sandbox. */
function inDatabase(file: string, work: (db: Database) => void): void {
  const db = new Database(file);
  work(db);
  db.close();
}

const sharedFile = (sandbox: Sandbox) =>
  sandbox.control.waitForMessage('it-help', ({ subtype }) => subtype === 'file_share');

test('file events fit the SDK’s types', () => {
  type Shown = NonNullable<FileShareMessageEvent['files']>[number];
  // The SDK's type also requires `channels` and `groups`, which files in recorded messages do not have.
  expectTypeOf<ReturnType<typeof fileObject>>().toExtend<Omit<Shown, 'channels' | 'groups'>>();
  expectTypeOf<ReturnType<typeof fileEvent<'file_created'>>>().toExtend<FileCreatedEvent>();
  expectTypeOf<ReturnType<typeof fileEvent<'file_change'>>>().toExtend<FileChangeEvent>();
  expectTypeOf<
    ReturnType<typeof fileEvent<'file_shared'>> & { channel_id: string }
  >().toExtend<FileSharedEvent>();
});

test('the SDK’s uploadV2 shares a file in a thread with its comment, and the token reads the file', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { message: root } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'logs?' });
  await client.files.uploadV2({
    channel_id: HELP,
    thread_ts: root.ts,
    initial_comment: 'here *they* are',
    file: PNG,
    filename: 'Screen Shot.png',
    title: 'A screen',
    alt_text: 'a red dot',
  });
  const message = await sharedFile(sandbox);
  expect(message).toMatchObject({
    user: BOT,
    bot_id: SEED.app.botId,
    text: 'here *they* are',
    thread_ts: root.ts,
  });
  const [shown] = message.files ?? [];
  const { file } = await client.files.info({ file: shown?.id ?? '' });
  expect(file).toMatchObject({
    name: 'Screen Shot.png',
    title: 'A screen',
    alt_txt: 'a red dot',
    mimetype: 'image/png',
    filetype: 'png',
    pretty_type: 'PNG',
    mode: 'hosted',
    user: BOT,
    size: PNG.length,
    original_w: 3,
    original_h: 2,
    thumb_360_w: 3,
    channels: [HELP],
    shares: { public: { [HELP]: [{ ts: message.ts, thread_ts: root.ts, channel_name: 'it-help' }] } },
  });
  for (const url of [file?.url_private, file?.url_private_download, file?.thumb_360]) {
    const response = await read(url ?? '');
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(await bytesOf(response)).toEqual(PNG);
  }
});

test('the address of a file gives the part of it that a request asks for', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  await client.files.uploadV2({ channel_id: HELP, file: PNG, filename: 'dot.png' });
  const [shown] = (await sharedFile(sandbox)).files ?? [];
  const part = async (range: string) => {
    const response = await fetch(shown?.url_private ?? '', {
      headers: { authorization: `Bearer ${SEED.app.botToken}`, range },
    });
    return [response.status, response.headers.get('content-range'), await bytesOf(response)];
  };
  const size = PNG.length;
  expect(await part('bytes=10-')).toEqual([206, `bytes 10-${size - 1}/${size}`, PNG.subarray(10)]);
  expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${size}`, PNG.subarray(0, 4)]);
  expect(await part('bytes=0-1,3-4')).toEqual([200, null, PNG]);
  expect(await part(`bytes=${size}-`)).toEqual([416, `bytes */${size}`, Buffer.alloc(0)]);
});

test('several files of an upload are one message, also as text and without a comment', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  await client.files.uploadV2({
    channel_id: HELP,
    file_uploads: [
      { content: 'a,b\n1,2\n', filename: 'table.csv' },
      { file: Buffer.from('%PDF-1.4'), filename: 'manual.pdf' },
    ],
  });
  const message = await sharedFile(sandbox);
  expect(message.text).toBe('');
  expect(message.files).toMatchObject([
    { name: 'table.csv', mimetype: 'text/csv', filetype: 'csv' },
    { name: 'manual.pdf', mimetype: 'application/pdf', pretty_type: 'PDF' },
  ]);
  const { messages } = await client.conversations.history({ channel: HELP });
  expect(messages?.[0]?.files?.map(({ name }) => name)).toEqual(['table.csv', 'manual.pdf']);
});

test('the response to completing an upload has neither type nor channel; events follow for the creation, the share and the change', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const socket = await rawSocket(sandbox);
  const id = await uploadOne(client, 'a.png', PNG);
  const answer = await client.files.completeUploadExternal({ files: [{ id, title: 'A' }], channel_id: HELP });
  expect(answer.files).toMatchObject([{ id, title: 'A', mimetype: '', filetype: '', shares: {} }]);
  const events = (await socket.envelopes.first(4)).map(({ payload }) => payload.event);
  expect(events).toMatchObject([
    { type: 'file_created', file_id: id, user_id: BOT, file: { id } },
    { type: 'file_shared', file_id: id, channel_id: HELP },
    { type: 'message', subtype: 'file_share', user: BOT, upload: true, files: [{ id, filetype: 'png' }] },
    { type: 'file_change', file_id: id },
  ]);
});

test('each invalid step of an upload is rejected with Slack’s error', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const promise = (length: number) =>
    errorOf(client.files.getUploadURLExternal({ filename: 'a.txt', length }));
  expect(await promise(0)).toBe('missing_argument');
  expect(await promise(LIMITS.fileBytes)).toBe('');
  expect(await promise(LIMITS.fileBytes + 1)).toBe('file_upload_size_restricted');
  const { file_id: promised = '' } = await client.files.getUploadURLExternal({
    filename: 'a.txt',
    length: 3,
  });
  const complete = (id: string, channel_id: string) =>
    errorOf(client.files.completeUploadExternal({ files: [{ id }], channel_id }));
  expect(await complete(promised, HELP)).toBe('file_not_found');
  const id = await uploadOne(client, 'a.txt', Buffer.from('abc'));
  expect(await complete(id, 'C0NOTHING')).toBe('channel_not_found');
  expect(await complete(id, 'C0QUIET')).toBe('not_in_channel');
  expect(await complete(id, HELP)).toBe('');
  expect(await complete(id, HELP)).toBe('file_not_found');
  expect((await fetch(`${sandbox.url}/upload/v1/nobody`, { method: 'POST', body: 'x' })).status).toBe(404);
  const form = new FormData();
  form.set('file', new Blob(['old']), 'old.txt');
  const old = await fetch(`${sandbox.apiUrl}files.upload`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${SEED.app.botToken}` },
  });
  expect(await old.json()).toMatchObject({ ok: false, error: 'method_deprecated' });
});

test('a file above the limit is rejected, whatever size was announced', async () => {
  const file = sandboxFile();
  await (await openSandbox({ file })).stop();
  inDatabase(file, (db) =>
    db.insert('file', {
      id: 'F0ALLFILES',
      team_id: SEED.team.id,
      user_id: ADA,
      name: 'all.bin',
      title: 'all.bin',
      alt_text: '',
      size: LIMITS.allFileBytes - 1,
      created_at: 0,
      state: 'processed',
      upload_secret: 'all',
    }),
  );
  const sandbox = await openSandbox({ file });
  const client = webClient(sandbox);
  const { upload_url = '' } = await client.files.getUploadURLExternal({ filename: 'a.txt', length: 1 });
  const send = async (bytes: number) =>
    (await fetch(upload_url, { method: 'POST', body: new Uint8Array(bytes) })).status;
  expect(await send(LIMITS.fileBytes + 1)).toBe(413);
  expect(await send(2)).toBe(413);
  expect(await send(1)).toBe(200);
  expect(await errorOf(client.files.getUploadURLExternal({ filename: 'b.txt', length: 1 }))).toBe(
    'storage_limit_reached',
  );
  const files = [{ name: 'c.txt', content: Buffer.from('c') }];
  await expect(sandbox.control.upload({ channel: 'it-help', user: 'ada', files })).rejects.toThrow(
    'delete some',
  );
  await sandbox.control.changePerson({ user: 'ada', role: 'admin' });
  await sandbox.control.deleteFile({ user: 'ada', file: 'F0ALLFILES' });
  await sandbox.control.upload({ channel: 'it-help', user: 'ada', files });
});

test('a person’s upload is a message with complete file objects, sent to the app in a channel or a thread', async () => {
  const sandbox = await openSandbox();
  const received = new Mailbox<FileShareMessageEvent>();
  await boltApp(sandbox, (app) =>
    app.event('message', async ({ event }) => received.put(event as FileShareMessageEvent)),
  );
  const { message } = await sandbox.control.upload({
    channel: 'it-help',
    user: 'ada',
    text: 'it looks *like this*',
    files: [{ name: 'broken.png', content: PNG }],
  });
  await sandbox.control.upload({
    channel: 'it-help',
    user: 'ada',
    thread_ts: message.ts,
    files: [{ name: 'noext', content: Buffer.from([0, 1, 2]) }],
  });
  const [first, second] = await received.first(2);
  expect(first).toMatchObject({
    subtype: 'file_share',
    user: ADA,
    text: 'it looks *like this*',
    blocks: [{ type: 'rich_text' }],
    files: [{ name: 'broken.png', user: ADA, size: PNG.length, is_public: true, original_w: 3 }],
  });
  expect(second).toMatchObject({
    thread_ts: message.ts,
    text: '',
    files: [{ name: 'noext', mimetype: 'application/octet-stream', filetype: 'binary' }],
  });
  expect(second).not.toHaveProperty('blocks');
  const url = first?.files?.[0]?.url_private ?? '';
  expect(await bytesOf(await read(url))).toEqual(PNG);
});

test('over HTTP a person uploads by a form or by JSON, and the page reads the bytes without a token', async () => {
  const sandbox = await openSandbox();
  const form = new FormData();
  form.set('channel', 'it-help');
  form.set('user', 'ada');
  form.set('text', 'two');
  form.append('file', new Blob([new Uint8Array(PNG)]), 'übersicht.png');
  form.append('file', new Blob(['<script>alert(1)</script>']), 'page.html');
  const upload = async (body: RequestInit) => {
    const response = await fetch(`${sandbox.url}/_control/upload`, { method: 'POST', ...body });
    return {
      status: response.status,
      body: (await response.json()) as { message?: { files: { id: string; name: string }[] } },
    };
  };
  const { body } = await upload({ body: form });
  const files = body.message?.files ?? [];
  expect(files.map(({ name }) => name)).toEqual(['übersicht.png', 'page.html']);
  const [picture, page] = await Promise.all(
    files.map(({ id }) => fetch(`${sandbox.url}/_control/files/${id}`)),
  );
  expect(await bytesOf(picture)).toEqual(PNG);
  expect(page?.headers.get('content-security-policy')).toContain('sandbox');
  expect(page?.headers.get('content-disposition')).toBe('attachment');
  const json = (content: string) =>
    upload({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channel: 'it-help', user: 'ada', files: [{ name: 'a.txt', content }] }),
    });
  expect((await json('YWJj')).body.message?.files).toMatchObject([{ name: 'a.txt', size: 3 }]);
  expect((await json('not base64!')).status).toBe(400);
});

test('without a token, with a wrong one or for a file it may not see, an app gets the sign-in page', async () => {
  const sandbox = await openSandbox();
  const { message } = await sandbox.control.upload({
    channel: 'hidden',
    user: 'ada',
    files: [{ name: 'secret.txt', content: Buffer.from('secret') }],
  });
  const [file] = message.files ?? [];
  const url = file?.url_private ?? '';
  for (const response of [await fetch(url), await read(url, 'xoxb-nobody'), await read(url)]) {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toMatch(/^<!DOCTYPE html>/);
  }
  expect((await fetch(url, { redirect: 'manual' })).status).toBe(302);
  const client = webClient(sandbox);
  expect(await errorOf(client.files.info({ file: file?.id ?? '' }))).toBe('file_not_found');
  expect((await client.files.list({})).files).toEqual([]);
});

test('a deleted file leaves a tombstone in its message and no bytes; only its owner can delete it', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const received = new Mailbox<FileDeletedEvent | Record<string, unknown>>();
  await boltApp(sandbox, (app) => {
    app.event('file_deleted', async ({ event }) => received.put(event));
    app.event('message', async ({ event }) => {
      if (event.subtype === 'message_changed') received.put(event as unknown as Record<string, unknown>);
    });
  });
  const { message } = await sandbox.control.upload({
    channel: 'it-help',
    user: 'ada',
    text: 'look',
    files: [
      { name: 'a.png', content: PNG },
      { name: 'b.txt', content: Buffer.from('b') },
    ],
  });
  const [a, b] = (message.files ?? []).map((file) => ({
    id: file.id,
    url: file.url_private ?? '',
  }));
  const id = a?.id ?? '';
  expect(await errorOf(client.files.delete({ file: id }))).toBe('cant_delete_file');
  await expect(sandbox.control.deleteFile({ user: 'ben', file: id })).rejects.toThrow('is not an admin');
  await sandbox.control.deleteFile({ user: 'ada', file: id });
  // Bolt runs listeners concurrently, so either event may come first.
  const told = (await received.first(2)).toSorted((one, other) =>
    String(one.type).localeCompare(String(other.type)),
  );
  expect(told).toMatchObject([
    { type: 'file_deleted', file_id: id, channel_ids: [HELP] },
    {
      subtype: 'message_changed',
      message: { text: 'look', files: [{ id, mode: 'tombstone' }, { id: b?.id }] },
    },
  ]);
  const [shown] = await sandbox.control.messages('it-help');
  expect(shown?.files?.[0]).toEqual({ id, mode: 'tombstone' });
  expect(await errorOf(client.files.info({ file: id }))).toBe('file_deleted');
  expect((await read(a?.url ?? '')).status).toBe(404);
  expect((await read(b?.url ?? '')).status).toBe(200);
  const own = await uploadOne(client, 'own.txt', Buffer.from('own'));
  await client.files.completeUploadExternal({ files: [{ id: own, title: 'own' }] });
  expect(await errorOf(client.files.delete({ file: own }))).toBe('');
  expect(await errorOf(client.files.delete({ file: own }))).toBe('file_deleted');
});

test('in a channel shared with another organisation, events only have the file’s id, and files.info returns the rest', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const received = new Mailbox<FileShareMessageEvent>();
  await boltApp(sandbox, (app) =>
    app.event('message', async ({ event }) => received.put(event as FileShareMessageEvent)),
  );
  await sandbox.control.share({ channel: 'it-help', shared: true });
  await sandbox.control.upload({
    channel: 'it-help',
    user: 'ada',
    files: [{ name: 'a.png', content: PNG }],
  });
  const [event] = await received.first(1);
  const id = event?.files?.[0]?.id ?? '';
  expect(event?.files).toEqual([{ id, file_access: 'check_file_info' }]);
  expect((await client.files.info({ file: id })).file).toMatchObject({
    name: 'a.png',
    file_access: 'visible',
  });
  const { messages } = await client.conversations.history({ channel: HELP });
  expect(messages?.[0]?.files?.[0]).toMatchObject({ id, name: 'a.png', mimetype: 'image/png' });
});

test('files are listed newest first by channel, person, type and page', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const upload = async (channel: string, user: string, name: string) => {
    await sandbox.control.upload({ channel, user, files: [{ name, content: Buffer.from(name) }] });
  };
  await upload('it-help', 'ada', 'one.txt');
  await upload('it-help', 'ben', 'two.pdf');
  await upload('it-triage', 'ben', 'three.png');
  await upload('it-triage', 'ben', 'four.zip');
  const names = async (wanted: Parameters<WebClient['files']['list']>[0]) =>
    (await client.files.list(wanted)).files?.map(({ name }) => name);
  expect(await names({})).toEqual(['four.zip', 'three.png', 'two.pdf', 'one.txt']);
  expect(await names({ channel: HELP })).toEqual(['two.pdf', 'one.txt']);
  expect(await names({ user: ADA })).toEqual(['one.txt']);
  expect(await names({ types: 'images,pdfs' })).toEqual(['three.png', 'two.pdf']);
  expect(await names({ types: 'zips' })).toEqual(['four.zip']);
  const page = await client.files.list({ count: 2, page: 2 });
  expect(page.files?.map(({ name }) => name)).toEqual(['two.pdf', 'one.txt']);
  expect(page.paging).toEqual({ count: 2, total: 4, page: 2, pages: 2 });
});

test('files survive a restart', async () => {
  const stored = sandboxFile();
  const first = await openSandbox({ file: stored });
  await webClient(first).files.uploadV2({ channel_id: HELP, file: PNG, filename: 'kept.png' });
  await first.stop();
  const second = await openSandbox({ file: stored });
  const [message] = await second.control.messages('it-help');
  const { file } = await webClient(second).files.info({ file: message?.files?.[0]?.id ?? '' });
  expect(file).toMatchObject({ name: 'kept.png', shares: { public: { [HELP]: [{ ts: message?.ts }] } } });
  expect(await bytesOf(await read(file?.url_private ?? ''))).toEqual(PNG);
  await second.control.reset();
  expect((await webClient(second).files.list({})).files).toEqual([]);
});

test('a file whose sandbox was killed before it was shared is shared by the next one', async () => {
  const file = sandboxFile();
  const first = await openSandbox({ file });
  const client = webClient(first);
  const id = await uploadOne(client, 'late.png', PNG);
  await client.files.completeUploadExternal({ files: [{ id, title: 'late' }] });
  await first.stop();
  // The state after a kill: the plan is stored, the message is not.
  const plan: SharePlan = {
    files: [id],
    channels: [HELP],
    content: { type: 'message', user: BOT, text: 'late' },
    autoBlocks: true,
    author: BOT,
  };
  inDatabase(file, (db) => db.update('file', { id }, { state: 'sharing', plan }));
  const second = await openSandbox({ file });
  expect(await sharedFile(second)).toMatchObject({ text: 'late', files: [{ id, filetype: 'png' }] });
  await second.stop();
  const third = await openSandbox({ file });
  expect(await third.control.messages('it-help')).toHaveLength(1);
});
