import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { createFileClient } from '../../src/client/index.ts';
import { assertHistory } from '../harness/history-of.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { seeded } from '../harness/seeded.ts';
import type { TapAction, TapPoint } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { LONG, SEED } from './drill.ts';
import { startTappedBridge, type TappedBridge } from './harness/tapped-bridge.ts';

const CHANNEL = 'it-help';

/** What happens, at which step, of which request. */
type Fault = [name: string, TapAction | 'kill', TapPoint['when'], request: RegExp];

const COPY = /^POST \/api\/ticket-messages\/[^/]+\/files$/;
const MESSAGE = /^POST \/api\/ticket-messages$/;
/** Only the service's answer has a hash to compare with. */
const TO_TICKET: Fault[] = [
  ['killed before the message is sent', 'kill', 'arrived', MESSAGE],
  ['killed before the copy is planned', 'kill', 'answered', MESSAGE],
  ['killed before the file is sent', 'kill', 'arrived', COPY],
  ['killed before the copy is recorded', 'kill', 'answered', COPY],
  ['connection cut', 'drop', 'arrived', COPY],
  ['server error', 'fail', 'arrived', COPY],
  ['answer lost', 'drop', 'answered', COPY],
  ['wrong hash', 'spoil', 'arrived', COPY],
];

const SHARE = /^POST \/api\/files\.completeUploadExternal$/;
/** After these steps it is unknown whether Slack got the request to share the file. */
const UNKNOWN: Fault[] = [
  ['killed before the share is recorded', 'kill', 'answered', SHARE],
  ['killed before the file is shared', 'kill', 'arrived', SHARE],
];
const KILLS_TO_CHAT: Fault[] = [
  ['killed before the upload', 'kill', 'answered', /^GET \/api\/workspaces\//],
  ['killed before the bytes are sent', 'kill', 'answered', /^POST \/api\/files\.getUploadURLExternal$/],
  ...UNKNOWN,
  ['killed before the message is found', 'kill', 'arrived', /^POST \/api\/files\.info$/],
];
const TO_CHAT: Fault[] = [
  // A short run draws one of two; over many runs both are tried.
  ...(LONG ? KILLS_TO_CHAT : UNKNOWN.filter((_, at) => at === Math.floor(seeded(SEED)() * UNKNOWN.length))),
  ['connection cut', 'drop', 'arrived', SHARE],
  ['server error', 'fail', 'arrived', SHARE],
  ['answer lost', 'drop', 'answered', SHARE],
];

interface Line {
  to: 'ticket' | 'chat';
  fault: string;
  lost: number;
  doubled: number;
}

/** Prints the table, and fails if a file is lost or there twice. */
function judge(lines: readonly Line[]): void {
  console.info(
    [
      `file faults, seed ${SEED}:`,
      '| To | Fault | Lost | Doubled |',
      '| --- | --- | --- | --- |',
      ...lines.map(({ to, fault, lost, doubled }) => `| ${to} | ${fault} | ${lost} | ${doubled} |`),
    ].join('\n'),
  );
  expect(lines.filter(({ lost, doubled }) => lost > 0 || doubled > 0)).toEqual([]);
}

const lineOf = (to: Line['to'], fault: string, times: number): Line => ({
  to,
  fault,
  lost: times === 0 ? 1 : 0,
  doubled: Math.max(0, times - 1),
});

/** Runs `act` with a fault, and resolves when the bridge has recovered from it. */
async function under(
  world: TappedBridge,
  [, action, when, request]: Fault,
  act: () => Promise<unknown>,
): Promise<void> {
  const isMeant = (point: TapPoint) => point.when === when && request.test(point.request);
  const happened = action === 'kill' ? world.killWhere(isMeant) : world.interfereWhere(isMeant, action);
  await act();
  expect(await happened).toMatchObject({ when });
  if (action === 'kill') await world.bridge.restart();
  await world.untilBridgeIdle();
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (name: string, size = 50_000) => Buffer.concat([PIXEL, Buffer.alloc(size, name)]);
const stemOf = (fault: string) => fault.replaceAll(' ', '');
const nameOf = (fault: string) => `${stemOf(fault)}.png`;
/** Of one message: they are copied together, and one by one after a fault. */
const TOGETHER = ['', ' two', ' three'];

async function openTicket(world: TappedBridge) {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the map is wrong`);
  const { id } = await ticketAt(service, root);
  await world.untilBridgeIdle();
  const send = (fault: string, contents: Record<string, Buffer>) =>
    chat.post('upload', {
      channel: CHANNEL,
      user: 'ada',
      text: fault,
      thread_ts: root,
      files: Object.entries(contents).map(([name, content]) => ({
        name: nameOf(name),
        content: content.toString('base64'),
      })),
    });
  return { root, id, send };
}

test('B18 F2 F18 whatever happens to a file on its way to the ticket, it is there once, with its bytes, or a link that says why', async () => {
  const world = await startTappedBridge({ ofService: { FILE_MEGABYTES: '1' } });
  const { service } = world;
  const { id, send } = await openTicket(world);
  const together = (fault: string) => TOGETHER.map((which) => `${fault}${which}`);
  for (const fault of TO_TICKET)
    await under(world, fault, () =>
      send(fault[0], Object.fromEntries(together(fault[0]).map((name) => [name, bytesOf(name)]))),
    );

  const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  // As Postgres answers when it cannot extend a table.
  await database.query(`
      create function service.no_room() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
      create trigger no_room before insert on service.file_chunk for each row execute function service.no_room()`);
  const refused = world.interfereWhere(
    ({ when, request }) => when === 'answered' && COPY.test(request),
    'go on',
  );
  await send('disk full', { 'disk full': bytesOf('disk full') });
  expect(await refused).toMatchObject({ when: 'answered' });
  await database.query('drop trigger no_room on service.file_chunk');
  const tooLarge = bytesOf('too large', 1_200_000);
  await under(world, ['too large', 'go on', 'answered', COPY], () =>
    send('too large', { 'too large': tooLarge }),
  );
  const copied = [...TO_TICKET.flatMap(([fault]) => together(fault)), 'disk full'];
  const { items: files } = await service.listTicketFiles({ params: { id } });
  const lines = copied.map((fault) => {
    const named = files.filter(({ name }) => name === nameOf(fault));
    const whole = named.filter(({ hash }) => hash === digest(bytesOf(fault)));
    return { ...lineOf('ticket', fault, named.length), lost: whole.length === 0 ? 1 : 0 };
  });

  // A ticket that is full.
  await database.query(
    `insert into service.file (workspace_id, id, ticket_id, ticket_message_id, attached_at, hash, name, type, size, created_at)
      select workspace_id, id || n, ticket_id, ticket_message_id, attached_at, hash, name, type, size, created_at
      from (select * from service.file where ticket_id = $1 limit 1) f, generate_series(1, $2) n`,
    [id, 200 - files.length],
  );
  await under(world, ['refused', 'go on', 'answered', COPY], () =>
    send('refused', { refused: bytesOf('refused') }),
  );
  await database.query(`delete from service.file where id <> all($1)`, [files.map((file) => file.id)]);
  const messages = (await service.listTicketMessages({ query: { ticketId: id, limit: 100 } })).items;
  for (const [fault, reason] of [
    ['too large', 'it is larger than the help desk accepts'],
    ['refused', 'the help desk refuses it (This ticket has 200 files'],
  ] as const) {
    const notes = messages.filter(
      (note) => note.private && note.content.includes(stemOf(fault)) && note.content.includes(reason),
    );
    const links = messages.filter((message) => !message.private && message.content.startsWith(fault));
    const times = notes.length === 0 ? 0 : Math.max(notes.length, links.length);
    lines.push(lineOf('ticket', fault, links.length === 0 ? 0 : times));
  }
  judge(lines);
  expect(messages.filter((message) => !message.private).map((message) => message.files?.length ?? 0)).toEqual(
    [...TO_TICKET.map(() => TOGETHER.length), 1, 0, 0],
  );
  await assertHistory(world);
});

test('B18 F2 F18 whatever happens to a file on its way to chat, it is shown once, after its text', async () => {
  const world = await startTappedBridge();
  const { chat, service } = world;
  const { root, id } = await openTicket(world);
  const picture = await servePicture({ service, urls: { api: world.serviceUrl } }, PIXEL);
  for (const fault of TO_CHAT)
    await under(world, fault, () =>
      service.createTicketMessage({ body: { ticketId: id, content: `see ![${fault[0]}](${picture})` } }),
    );
  const shown = (await chat.thread(CHANNEL, root))
    .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
    .map(({ text, files }) => (files ? `file: ${files.map(({ title }) => title).join(', ')}` : text));
  judge(
    TO_CHAT.map(([fault]) => lineOf('chat', fault, shown.filter((line) => line === `file: ${fault}`).length)),
  );
  expect(shown).toEqual(TO_CHAT.flatMap(([fault]) => [`see ${fault}`, `file: ${fault}`]));
  await assertHistory(world);
});

test('B18 F18 a file whose download from the ticket is cut goes on where it ended, and is in chat with its bytes', async () => {
  const world = await startTappedBridge();
  const { chat, service } = world;
  const { root, id } = await openTicket(world);
  const files = createFileClient({ baseUrl: world.serviceUrl, token: world.apiKey });
  onTestFinished(() => files.close());
  const whole = randomBytes(2_000_000);
  const { id: fileId } = await files.upload({
    ticketId: id,
    name: 'map.bin',
    bytes: Readable.from([whole]),
  });
  const isDownload = ({ when, request }: TapPoint) =>
    when === 'answered' && request === `GET /api/files/${fileId}`;
  const cut = world.interfereWhere(isDownload, 'cut');
  await service.createTicketMessage({ body: { ticketId: id, content: 'see', fileIds: [fileId] } });
  expect(await cut).toMatchObject({ bytes: whole.length });
  const rest: number[] = [];
  void world.interfereWhere((point) => {
    if (isDownload(point)) rest.push(point.bytes);
    return false;
  }, 'go on');
  await world.untilBridgeIdle();
  // What was under way when the connection ended may be sent again. The team's thread has a download of its own.
  expect(rest).toHaveLength(2);
  expect(whole.length - Math.min(...rest)).toBeGreaterThan(whole.length / 2 - 256 * 1024);
  const shown = (await chat.thread(CHANNEL, root)).flatMap((message) => message.files ?? []);
  expect(shown.map(({ title }) => title)).toEqual(['map.bin']);
  const inChat = await fetch(`${world.chatUrl}/_control/files/${shown[0]?.id ?? ''}`);
  expect(digest(Buffer.from(await inChat.arrayBuffer()))).toBe(digest(whole));
  await assertHistory(world);
});
