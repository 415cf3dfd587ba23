import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { createFileClient } from '../../src/client/index.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';
import { workOfCopy } from '../harness/work-of-copy.ts';

const CHANNEL = 'it-help';
/** Slack gets files of up to one megabyte, the ticket of up to two. */
const small = sharedWorld({ CHAT_FILE_MEGABYTES: '1', FILE_MEGABYTES: '2' });

async function open(world: World): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> the door does not open`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

/** The contents of the thread apart from the card: texts, and names of files. */
async function shown(world: World, root: string): Promise<string[]> {
  return (await world.chat.thread(CHANNEL, root))
    .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
    .map(({ text, files }) =>
      files ? `file: ${files.map(({ title, mode }) => title ?? mode).join(', ')}` : text,
    );
}

async function said({ service }: World, id: string): Promise<string[]> {
  return (await service.listTicketMessages({ query: { ticketId: id } })).items.map(({ content }) => content);
}

test('B18 files cross: from chat as links with name, type and size, to chat as one upload after its text; failures are named', async () => {
  const world = small;
  const { chat, service, urls } = world;
  const { root, id } = await open(world);

  // From chat: the page behind chat's login, never the URL of the bytes.
  await chat.post('upload', {
    channel: CHANNEL,
    user: 'ada',
    text: 'look',
    thread_ts: root,
    files: [{ name: 'door.png', content: PIXEL.toString('base64') }],
  });
  await until('the file on the ticket', async () => (await said(world, id)).length === 1);
  const [first = ''] = await said(world, id);
  expect(first).toMatch(
    /^look\n\n\[door\.png\]\(<http:\/\/127\.0\.0\.1:\d+\/files\/U0ADAREYES\/F\w+\/door\.png>\) \(image\/png, 1 kB\)$/,
  );

  // To chat: the text, then the file, each once, and nothing comes back.
  const large = await servePicture(world, Buffer.concat([PIXEL, Buffer.alloc(1_200_000)]));
  const tooLarge = await service.createTicketMessage({
    body: { ticketId: id, content: `a plan ![of the house](${large})` },
  });
  await world.untilIdle();
  expect(await shown(world, root)).toEqual([
    'file: door.png',
    'a plan of the house',
    'of the house could not be shown here: it is larger than 1.0 MB.',
  ]);
  await service.deleteTicketMessage({ params: { id: tooLarge.id } });
  const picture = await servePicture(world, PIXEL);
  // Chat's response is lost twice: the file is looked up, and neither requested nor shown again.
  await chat.post('faults', {
    faults: [{ method: 'files.completeUploadExternal', kind: 'answer_lost', times: 1 }],
  });
  const answer = await service.createTicketMessage({
    body: { ticketId: id, content: `turn it ![like this](${picture}) please` },
  });
  await world.untilIdle();
  expect(await shown(world, root)).toEqual(['file: door.png', 'turn it like this please', 'file: like this']);
  const [, , posted] = (await chat.thread(CHANNEL, root)).filter(
    ({ metadata }) => metadata?.event_payload['card'] === undefined,
  );
  expect(posted).toMatchObject({ subtype: 'file_share', user: (await chat.state()).bot });
  expect(await said(world, id)).toEqual([first, '', `turn it ![like this](${picture}) please`]);
  const { chatMessages } = await service.readTicketMessage({ params: { id: answer.id } });
  expect(chatMessages.map(({ ts }) => ts)).toContain(posted?.ts);

  // Images at forbidden or broken URLs keep the text and are named.
  await service.createTicketMessage({
    body: {
      ticketId: id,
      content: `see ![health](${urls.root}/healthz) ![gone](${picture}0) ![page](${urls.api.replace('/api', '/api/../docs')})`,
    },
  });
  await world.untilIdle();
  expect((await shown(world, root)).slice(3)).toEqual([
    'see health gone page',
    'health could not be shown here: its address may not be called (the address is not public).',
    'gone could not be shown here: its address answers with 404.',
    'page could not be shown here: its address may not be called (the address is not public).',
  ]);

  // An edit that removes the image removes the file.
  await service.updateTicketMessage({ params: { id: answer.id }, body: { content: 'turn it twice' } });
  await world.untilIdle();
  expect((await shown(world, root)).slice(0, 3)).toEqual([
    'file: door.png',
    'turn it twice',
    'see health gone page',
  ]);
  const [file] = posted?.files ?? [];
  expect((await fetch(`${urls.sandbox}/_control/files/${file?.id ?? ''}`)).status).toBe(404);
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function filesOf({ urls, apiKey }: World) {
  const client = createFileClient({ baseUrl: urls.api, token: apiKey });
  onTestFinished(() => client.close());
  return client;
}

/** The files of a ticket: name, digest, and the message that each is on. */
async function copied({ service }: World, id: string): Promise<(string | null)[][]> {
  const { items } = await service.listTicketFiles({ params: { id } });
  return items.map(({ name, hash, messageId }) => [name, hash, messageId]);
}

interface NamedBytes {
  name: string;
  bytes: Buffer;
}

/** Posts a message of Ada with files, in a thread or at the top of the channel. */
async function upload(
  { chat }: World,
  text: string,
  files: readonly NamedBytes[],
  root?: string,
): Promise<{ ts: string; files: { id: string }[] }> {
  const { message } = await chat.post<{ message: { ts: string; files: { id: string }[] } }>('upload', {
    channel: CHANNEL,
    user: 'ada',
    text,
    thread_ts: root,
    files: files.map(({ name, bytes }) => ({ name, content: bytes.toString('base64') })),
  });
  return message;
}

/** Replies on the ticket with files. */
async function replyWithFiles(world: World, ticketId: string, content: string, files: readonly NamedBytes[]) {
  const client = filesOf(world);
  const fileIds: string[] = [];
  for (const { name, bytes } of files) {
    const source = (async function* () {
      yield bytes;
    })();
    fileIds.push((await client.upload({ ticketId, name, bytes: source })).id);
  }
  return world.service.createTicketMessage({ body: { ticketId, content, fileIds } });
}

const SCREENSHOT = Buffer.concat([PIXEL, Buffer.alloc(300_000, 7)]);

test('B18 files of a thread are on its ticket with the same bytes: those of the first message on the ticket itself, those of a reply on its message; one that the service refuses stays a link', async () => {
  const { chat, service } = small;
  const { bot } = await chat.state();
  const first = await upload(small, `<@${bot}> it looks so`, [{ name: 'first.png', bytes: PIXEL }]);
  const { id } = await ticketAt(service, first.ts);
  await small.untilIdle();
  expect(await copied(small, id)).toEqual([['first.png', sha256(PIXEL), null]]);
  expect((await service.readTicket({ params: { id } })).files?.map(({ name }) => name)).toEqual([
    'first.png',
  ]);

  const reply = await upload(
    small,
    'and so',
    [
      { name: 'screen.png', bytes: SCREENSHOT },
      { name: 'log.txt', bytes: Buffer.alloc(3_000_000, 'x') },
    ],
    first.ts,
  );
  await small.untilIdle();
  const [onTicket, note, ...none] = (await service.listTicketMessages({ query: { ticketId: id } })).items;
  expect(none).toEqual([]);
  expect(onTicket?.files?.map(({ name, size }) => [name, size])).toEqual([['screen.png', SCREENSHOT.length]]);
  expect(await copied(small, id)).toContainEqual(['screen.png', sha256(SCREENSHOT), onTicket?.id]);
  expect(onTicket?.content).toMatch(/\[log\.txt\]\(<http:.*\) \(text\/plain, 2\.9 MB\)$/);
  expect(note).toMatchObject({ private: true });
  expect(note?.content).toMatch(
    /^\[log\\?\.txt\]\(<http:\S+>\) could not be copied from Slack: it is larger than the help desk accepts\.$/,
  );

  // A file that is deleted in chat is deleted from the ticket.
  await chat.post('delete-file', { user: 'ada', file: reply.files[0]?.id });
  await until('the copy to go', async () => (await copied(small, id)).length === 1);
  await small.untilIdle();
});

test('B18 files without a name and of no known type are numbered, the same in the text and on the ticket', async () => {
  const { chat, service } = small;
  const { id, root } = await open(small);
  const nameless = await upload(
    small,
    'and without names',
    [
      { name: '\u200B', bytes: PIXEL },
      { name: '\u200B', bytes: Buffer.concat([PIXEL, Buffer.of(1)]) },
    ],
    root,
  );
  await small.untilIdle();
  const onTicket = (await service.listTicketMessages({ query: { ticketId: id } })).items.at(-1);
  expect(onTicket?.files?.map(({ name }) => name)).toEqual(['file', 'file-2']);
  expect(onTicket?.content).toMatch(/\n\n\[file\]\(.+\n\n\[file-2\]\(/);
  for (const { id: file } of nameless.files) await chat.post('delete-file', { user: 'ada', file });
  await chat.remove(CHANNEL, 'ada', nameless.ts);
  await small.untilIdle();
});

test('B18 files of a reply on the ticket are in the thread after its text; they stay when the text is edited, and go when they are deleted at the desk', async () => {
  const { chat, service, urls } = small;
  const { id, root } = await open(small);
  const film = Buffer.alloc(1_500_000, 1);
  const reply = await replyWithFiles(small, id, 'read this', [
    { name: 'guide.pdf', bytes: SCREENSHOT },
    { name: 'film.mp4', bytes: film },
  ]);
  // The address in a record leads to the bytes, read as any path of the server is.
  const headers = { 'x-service-api-token': small.environment['SERVICE_API_TOKEN'] ?? '' };
  const byAddress = await fetch(new URL(reply.files?.[0]?.url ?? '', urls.api), { headers });
  expect(sha256(Buffer.from(await byAddress.arrayBuffer()))).toBe(sha256(SCREENSHOT));
  await small.untilIdle();
  expect(await shown(small, root)).toEqual([
    'read this',
    'file: guide.pdf',
    'film.mp4 could not be shown here: it is larger than 1.0 MB.',
  ]);
  const messages = await chat.thread(CHANNEL, root);
  const guide = messages.flatMap(({ files = [] }) => files).find(({ title }) => title === 'guide.pdf');
  const bytes = await (await fetch(`${urls.sandbox}/_control/files/${guide?.id ?? ''}`)).arrayBuffer();
  expect(sha256(Buffer.from(bytes))).toBe(sha256(SCREENSHOT));
  // The file that is too large is named, with a link to the page of the ticket, which has it.
  const [, page = ''] = /"(http[^"]+\/shared\/[^"]+)"/.exec(JSON.stringify(messages.at(-1)?.blocks)) ?? [];
  const [, link = ''] = /href="([^"]+)" download>film\.mp4/.exec(await (await fetch(page)).text()) ?? [];
  const whole = await (await fetch(new URL(link, page))).arrayBuffer();
  expect(sha256(Buffer.from(whole))).toBe(sha256(film));

  await service.updateTicketMessage({ params: { id: reply.id }, body: { content: 'read this first' } });
  await small.untilIdle();
  expect(await shown(small, root)).toEqual([
    'read this first',
    'file: guide.pdf',
    'film.mp4 could not be shown here: it is larger than 1.0 MB.',
  ]);

  const [guideId = ''] = (reply.files ?? []).filter(({ name }) => name === 'guide.pdf').map((one) => one.id);
  await service.deleteFile({ params: { id: guideId } });
  await small.untilIdle();
  expect((await shown(small, root)).filter((line) => line.startsWith('file: guide'))).toEqual([]);
  // Nothing comes back as a copy.
  expect((await copied(small, id)).map(([name]) => name)).toEqual(['film.mp4']);
});

test('B18 a file at which Slack keeps failing is named, and what was written after it arrives', async () => {
  const { chat, service } = small;
  const { id, root } = await open(small);
  await chat.post('faults', {
    method: 'files.getUploadURLExternal',
    kind: 'error',
    error: 'internal_error',
    times: null,
  });
  await replyWithFiles(small, id, 'see the plan', [{ name: 'plan.pdf', bytes: SCREENSHOT }]);
  await service.createTicketMessage({ body: { ticketId: id, content: 'written after it' } });
  await until('the file to be given up', async () => (await shown(small, root)).join().includes('plan.pdf'));
  await small.untilIdle();
  expect(await shown(small, root)).toEqual([
    'see the plan',
    'written after it',
    'plan.pdf could not be shown here: Slack could not process it (internal_error).',
  ]);
  await chat.post('faults', { clear: true });
});

test('B18 the files of a reply reach its ticket message at once, and one by one if the service does not take them together', async () => {
  const world = small;
  const { chat, service } = world;
  const { id, root } = await open(world);
  const send = async (text: string, sizes: number[]) => {
    const files = sizes.map((size, n) => ({
      name: `${text} ${n}.png`,
      content: randomBytes(size).toString('base64'),
    }));
    await chat.post('upload', { channel: CHANNEL, user: 'ada', text, thread_ts: root, files });
    await world.untilIdle();
    const { items } = await service.listTicketFiles({ params: { id } });
    const found = items.filter(({ name }) => name.startsWith(text));
    expect(found.map(({ name, size }) => [name, size])).toEqual(
      files.map(({ name }, n) => [name, sizes[n] ?? 0]),
    );
    return new Set(found.map(({ createdAt }) => createdAt)).size;
  };
  expect(await send('small', [1_000, 300_000, 20])).toBe(1);
  // More than two megabytes.
  expect(await send('large', [700_000, 700_000, 700_000, 700_000])).toBe(4);
});

test('B18 a file that chat cuts off goes on where it ended, or is copied once it is whole; one that redirects elsewhere or needs a sign-in stays a link', async () => {
  const world = await startWorld();
  const { id, root } = await open(world);
  const { service } = world;
  const { id: messageId } = await service.createTicketMessage({ body: { ticketId: id, content: 'see' } });
  await world.untilIdle();

  const whole = randomBytes(3_000_000);
  const cutAt = 2_000_000;
  const asked: string[] = [];
  const resumedAt: number[] = [];
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const isFirst = !asked.includes(url);
    asked.push(url);
    if (headers.authorization?.startsWith('Bearer xoxb-') !== true) return void response.writeHead(403).end();
    if (url === '/moved') return void response.writeHead(302, { location: 'http://example.com/a' }).end();
    if (url === '/sign-in') return void response.setHeader('content-type', 'text/html').end('<html></html>');
    response.setHeader('content-length', whole.length);
    response.setHeader('etag', url === '/changed' && isFirst ? '"old"' : '"new"');
    if (/^\/(?:cut|resumed|changed)$/.test(url) && isFirst)
      return void response.write(whole.subarray(0, cutAt), () => response.destroy());
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    if (url !== '/cut' && from > 0) {
      resumedAt.push(from);
      const part = whole.subarray(from);
      const range = `bytes ${from}-${whole.length - 1}/${whole.length}`;
      return void response
        .writeHead(206, { 'content-range': range, 'content-length': part.length })
        .end(part);
    }
    response.end(whole);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  await database.query('set search_path to bridge');
  const cases = ['cut', 'resumed', 'changed', 'moved', 'sign-in'];
  for (const name of cases)
    await database.query(
      `with copy as (
          insert into bridge.file_copy (id, conversation_id, ticket_id, target_id, file_id, name, bytes, mimetype, url,
            permalink, created_at)
          select $1, id, $2, $3, $1, $1, $4, 'image/png', $5, '', now() from bridge.conversation where thread_ts = $6
          returning id)
        ${workOfCopy('copy', 'file')}`,
      [name, id, messageId, whole.length, `http://127.0.0.1:${port}/${name}`, root],
    );
  await world.untilIdle();

  expect((await copied(world, id)).toSorted()).toEqual(
    ['changed', 'cut', 'resumed'].map((name) => [name, sha256(whole), messageId]),
  );
  const timesOf = (name: string) => asked.filter((url) => url === name).length;
  expect([timesOf('/cut'), timesOf('/resumed')]).toEqual([2, 2]);
  // What was under way when the connection ended may be sent again.
  expect(resumedAt).toHaveLength(2);
  for (const from of resumedAt) expect(from).toBeGreaterThan(cutAt - 256 * 1024);
  const notes = (await service.listTicketMessages({ query: { ticketId: id, private: true } })).items;
  expect(notes.map(({ content }) => content).toSorted()).toEqual([
    'moved could not be copied from Slack: its address may not be called (example.com is not allowed).',
    'sign-in could not be copied from Slack: the app may not read it (files:read).',
  ]);
  world.skipComparison('the files of this test are on no message of chat');
});

test('B37 B18 a file that answers a question of a form is copied to the ticket, once, and stays when the message it is about changes', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const field = await service.createCustomField({ body: { label: 'Photo', type: 'FILE_PICKER' } });
  const forms = (await service.listForms({ query: {} })).items;
  const type = forms.find(({ name }) => name === 'New device');
  if (!type) throw new Error('the demo has other forms');
  await service.updateRequestType({
    params: { id: type.id },
    body: { customFields: [{ customFieldId: field.id, required: true }] },
  });
  const upload = (text: string, fileName: string) =>
    chat.post<{ message: { ts: string; files: { id: string }[] } }>('upload', {
      channel: CHANNEL,
      user: 'ada',
      text,
      files: [{ name: fileName, content: PIXEL.toString('base64') }],
    });
  const { message: about } = await upload('The door is damaged', 'own.png');
  const { message: other } = await upload('elsewhere', 'photo.png');
  await chat.post('shortcut', {
    user: 'ada',
    callbackId: 'fill_form',
    channel: CHANNEL,
    messageTs: about.ts,
  });
  const asking = (block: string) =>
    until(`the form to ask ${block}`, async () => {
      const view = await chat.modal('ada');
      return view?.blocks.some(({ block_id }) => block_id === block) ? view : undefined;
    });
  const { id: viewId } = await asking('ask:type');
  await chat.post('interact', {
    user: 'ada',
    viewId,
    action: { actionId: 'form_type', blockId: 'ask:type', value: type.id },
  });
  const block = `field:${field.key}`;
  await asking(block);
  const [photo] = other.files;
  const values = { [block]: { form_value: [photo?.id] } };
  expect(await chat.post('submit-view', { user: 'ada', values })).toMatchObject({ result: 'closed' });
  const { id } = await ticketAt(service, about.ts);
  await world.untilIdle();
  const both = [
    ['own.png', sha256(PIXEL), null],
    ['photo.png', sha256(PIXEL), null],
  ];
  expect((await copied(world, id)).toSorted()).toEqual(both);
  const { customFields } = await service.readTicket({ params: { id } });
  expect(customFields[field.key]).toEqual([expect.stringContaining(photo?.id ?? '')]);

  await chat.edit(CHANNEL, 'ada', about.ts, 'The door is broken');
  await until('the edit', async () =>
    (await service.readTicket({ params: { id } })).description?.includes('broken'),
  );
  await world.untilIdle();
  expect((await copied(world, id)).toSorted()).toEqual(both);
});
