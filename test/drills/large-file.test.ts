import { createHash, type Hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { createFileClient } from '../../src/client/index.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';
import { serviceDatabase } from '../service/harness.ts';
import { launch } from '../service/launch.ts';
import { workOfCopy } from '../harness/work-of-copy.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const MEGABYTE = 1024 ** 2;
const SIZE = 100;

/**
 * What counts is what a program holds, not how much garbage happens to wait: that is collected whenever the process has
 * grown by some megabytes. At fixed intervals it would take both processors for as long as the drill lasts.
 */
const COLLECTS = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(`let low = 0;
    setInterval(() => {
      const now = process.memoryUsage.rss();
      low = Math.min(low, now);
      if (now < low + 3e6) return;
      gc();
      low = process.memoryUsage.rss();
    }, 10).unref();`)}`,
];

/** Resident memory of a process, in megabytes. */
async function memoryOf(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Watches memory until `stop`, which resolves with how much it grew at most. */
async function watchGrowth(read: () => Promise<number>): Promise<{ stop: () => Promise<number> }> {
  const before = await read();
  let most = before;
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      most = Math.max(most, await read());
      await pause(20);
    }
  })();
  const end = async () => {
    stop.abort();
    await watching;
  };
  onTestFinished(end);
  return {
    stop: async () => {
      await end();
      return most - before;
    },
  };
}

test('a file of 100 MB comes and goes with at most 30 MB more memory', async () => {
  const { url, token, call, pid } = await launch(await serviceDatabase(), { nodeOptions: COLLECTS });
  const files = createFileClient({ baseUrl: url, token });
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'Large' } });
  // The first files load what every later one needs.
  const warm = async () => {
    const bytes = (async function* () {
      for (let n = 0; n < 10; n++) yield randomBytes(MEGABYTE);
    })();
    const { id } = await files.upload({ ticketId: ticket.id, name: 'warm', bytes });
    await (await files.download(id)).resume().toArray();
  };
  for (let n = 0; n < 3; n++) await warm();

  const growth = await watchGrowth(() => memoryOf(pid));
  const sent = createHash('sha256');
  const startedAt = performance.now();
  const { id, hash } = await files.upload({
    ticketId: ticket.id,
    name: 'large',
    bytes: (async function* () {
      for (let n = 0; n < SIZE; n++) {
        const bytes = randomBytes(MEGABYTE);
        sent.update(bytes);
        yield bytes;
      }
    })(),
  });
  const uploaded = performance.now();
  const received = createHash('sha256');
  for await (const part of (await files.download(id)) as AsyncIterable<Buffer>) received.update(part);
  const downloaded = performance.now();
  const megabytes = await growth.stop();
  expect([hash, received.digest('hex')]).toEqual(Array(2).fill(sent.digest('hex')));
  console.log({
    grownMegabytes: Math.round(megabytes),
    uploadMs: Math.round(uploaded - startedAt),
    downloadMs: Math.round(downloaded - uploaded),
  });
  await files.close();
  expect(megabytes).toBeLessThanOrEqual(30);
});

/** A ticket's thread in programs that each have a process, and their memory while a file crosses. */
async function openThread() {
  const collects = { NODE_OPTIONS: COLLECTS.join(' ') };
  const service = await startProcess({ FILE_MEGABYTES: '100', ALLOW_PRIVATE_WEBHOOKS: 'true', ...collects }, [
    'service',
    '--demo',
  ]);
  const sandbox = await service.startAlongside(['sandbox']);
  const { DATABASE_URL = '' } = service.environment;
  const bridge = await startProcess(
    {
      DATABASE_URL,
      SERVICE_URL: service.urls.api,
      CHAT_FILE_MEGABYTES: '100',
      ...collects,
      ...bridgeSettings(sandbox.urls.sandbox),
    },
    ['bridge'],
  );
  const { bot } = await sandbox.chat.state();
  const { ts: root } = await sandbox.chat.say('it-help', 'ada', `<@${bot}> the film does not play`);
  const ticket = await ticketAt(service.service, root);
  await bridge.untilBridgeIdle();
  const watched = async (direction: string, crossing: () => Promise<unknown>) => {
    const growths = [
      await watchGrowth(() => memoryOf(bridge.pid())),
      await watchGrowth(() => memoryOf(service.pid())),
    ];
    const began = performance.now();
    await crossing();
    const seconds = Math.round((performance.now() - began) / 1000);
    const [ofBridge = NaN, ofService = NaN] = await Promise.all(growths.map((growth) => growth.stop()));
    console.log({ direction, ofBridge: Math.round(ofBridge), ofService: Math.round(ofService), seconds });
    expect(ofBridge).toBeLessThanOrEqual(30);
    expect(ofService).toBeLessThanOrEqual(30);
  };
  return { service, sandbox, bridge, root, ticket, watched, DATABASE_URL };
}

test('B18 a file of 100 MB crosses from chat to its ticket with at most 30 MB more memory of bridge and service', async () => {
  const { service, bridge, root, ticket, watched, DATABASE_URL } = await openThread();
  const { id: messageId } = await service.service.createTicketMessage({
    body: { ticketId: ticket.id, content: 'see' },
  });
  await bridge.untilBridgeIdle();

  // This server makes the bytes while they are read: an upload to the sandbox would need all of them at once.
  const sent = new Map<string, Hash>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const hash = createHash('sha256');
    sent.set(pathname.slice(1), hash);
    const size = Number(searchParams.get('megabytes'));
    response.setHeader('content-length', size * MEGABYTE);
    const bytes = function* () {
      for (let n = 0; n < size; n++) {
        const piece = randomBytes(MEGABYTE);
        hash.update(piece);
        yield piece;
      }
    };
    Readable.from(bytes(), { objectMode: false }).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const database = new pg.Client({ connectionString: DATABASE_URL });
  await database.connect();
  onTestFinished(() => database.end());
  await database.query('set search_path to bridge');
  const copy = async (name: string, megabytes: number) => {
    await database.query(
      `with copy as (
          insert into bridge.file_copy (id, conversation_id, ticket_id, target_id, file_id, name, bytes, mimetype, url,
            permalink, created_at)
          select $1, id, $2, $3, $1, $1, $4, 'video/mp4', $5, '', now() from bridge.conversation where thread_ts = $6
          returning id)
        ${workOfCopy('copy-large', 'large-file')}`,
      [
        name,
        ticket.id,
        messageId,
        megabytes * MEGABYTE,
        `http://127.0.0.1:${port}/${name}?megabytes=${megabytes}`,
        root,
      ],
    );
    await bridge.untilBridgeIdle();
  };
  // The first files load what every later one needs.
  for (let n = 0; n < 3; n++) await copy(`warm-${n}`, 10);

  await watched('to the ticket', () => copy('large', SIZE));
  const { items } = await service.service.listTicketFiles({ params: { id: ticket.id } });
  const large = items.find(({ name }) => name === 'large');
  expect([large?.size, large?.hash]).toEqual([SIZE * MEGABYTE, sent.get('large')?.digest('hex')]);
});

test('B18 a file of 100 MB crosses from its ticket to chat with at most 30 MB more memory of bridge and service', async () => {
  const { service, sandbox, root, ticket, watched } = await openThread();
  const files = createFileClient({ baseUrl: service.urls.api, token: service.apiKey });
  onTestFinished(() => files.close());
  const upload = (name: string, megabytes: number) => {
    const bytes = (async function* () {
      for (let n = 0; n < megabytes; n++) yield randomBytes(MEGABYTE);
    })();
    return files.upload({ ticketId: ticket.id, name, bytes });
  };
  const answerWith = async ({ id, name }: { id: string; name: string }) => {
    await service.service.createTicketMessage({
      body: { ticketId: ticket.id, content: name, fileIds: [id] },
    });
    return until(`${name} in the thread`, async () =>
      (await sandbox.chat.thread('it-help', root))
        .flatMap((message) => message.files ?? [])
        .find((file) => file.name === name),
    );
  };
  for (let n = 0; n < 3; n++) await answerWith(await upload(`warm answer ${n}`, 10));
  const film = await upload('the film', SIZE);
  let shown: { id: string } | undefined;
  await watched('to chat', async () => (shown = await answerWith(film)));
  const there = await fetch(`${sandbox.urls.sandbox}/_control/files/${shown?.id ?? ''}`);
  const hash = createHash('sha256');
  for await (const piece of there.body as AsyncIterable<Uint8Array>) hash.update(piece);
  expect(hash.digest('hex')).toBe(film.hash);
});
