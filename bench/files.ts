/**
 * Files from chat to the ticket: `node bench/files.ts`. The baseline is a script that reads the same files with undici
 * and stores each with pg, and knows nothing of messages; and texts while no file crosses.
 */
import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { Agent, request } from 'undici';

import { DEMO } from '../src/start/demo.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { inTurn, soon } from './lib/load.ts';
import { type Postgres, startPostgres } from './lib/postgres.ts';
import type { Program } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';
import { openThreads, say, talk, type Thread } from './lib/talk.ts';

const SCREENSHOTS = 1_000;
/** Texts and files before them: programs that have just been started are slower. The sandbox keeps 512 MB of files. */
const WARM_UP = { texts: 1_500, files: 300 };
const SCREENSHOT_BYTES = 300_000;
/** Bytes of one upload. */
const IN_A_MESSAGE = 10 * SCREENSHOT_BYTES;
/** As many as the bridge copies at once. */
const AT_ONCE = 4;
const LARGE = 20;
const LARGE_BYTES = 5_000_000;
/** Large files take their time beside texts. */
const CROSSING_MS = 300_000;
const TEXTS_PER_SECOND = 20;
/** For half a minute, so that periodic work slows down the texts of both. */
const TEXTS_ALONE = 600;
/** A ticket has 200 files at most. */
const THREADS = 8;

export const files: Rig = { title: 'Files from chat to the ticket', minutes: 30, measure };

interface ChatFile {
  url_private_download: string;
}

async function measure(rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const found = { ours: [], together: [], inTurn: [], beside: [], alone: [] } as Record<string, number[]>;
  for (let at = 0; at < rounds; at++) {
    tellRound(`${files.title}, screenshots`, at, rounds);
    await withPrograms(postgres, `screenshots_${at}`, async ({ open }) => {
      const { send, warmUp, settled } = await open();
      await warmUp();
      await (await send(WARM_UP.files, SCREENSHOT_BYTES)).until();
      await settled();
      const { all, until } = await send(SCREENSHOTS, SCREENSHOT_BYTES);
      found['ours']?.push(SCREENSHOTS / (await until()));
      await settled();
      for (const [script, atOnce] of [
        ['together', AT_ONCE],
        ['inTurn', 1],
      ] as const) {
        const database = await postgres.database(`script_${script.toLowerCase()}_${at}`);
        found[script]?.push(SCREENSHOTS / (await copyBare(all, database, atOnce)));
      }
    });
  }
  await withPrograms(postgres, 'texts', async ({ desk, open }) => {
    for (let at = 0; at < rounds; at++) {
      tellRound(`${files.title}, texts`, at, rounds);
      const { threads, send } = await open();
      const alone = await sayInTime(desk, threads, (count) => count < TEXTS_ALONE);
      await desk.calm();
      const large = await send(LARGE, LARGE_BYTES);
      // What waited in the pause goes first.
      await desk.calm();
      let isCrossing = true;
      const crossed = large.until().then(() => (isCrossing = false));
      const beside = await sayInTime(desk, threads, () => isCrossing);
      await crossed;
      found['alone']?.push(percentile(alone, 0.95));
      found['beside']?.push(percentile(beside, 0.95));
    }
  });
  return [
    {
      name: 'screenshots of 300 KB',
      unit: 'files/s',
      ours: found['ours'] ?? [],
      baseline: { name: 'a script, four at once', values: found['together'] ?? [] },
      goal: { atLeast: 0.7 },
    },
    {
      name: 'the same files',
      unit: 'files/s',
      ours: found['ours'] ?? [],
      baseline: { name: 'a script, one by one', values: found['inTurn'] ?? [] },
      goal: { atLeast: 0.7 },
      note: 'The script stores each file in one statement. deskbridge also stores the messages, checks size and hash, keeps equal bytes once, and survives a kill anywhere.',
    },
    {
      name: 'texts while twenty files of 5 MB cross, p95',
      unit: 'ms',
      ours: found['beside'] ?? [],
      baseline: { name: 'texts alone', values: found['alone'] ?? [] },
      goal: { atMost: 1.5 },
    },
  ];
}

interface Opened {
  threads: readonly Thread[];
  send: Send;
  /** Sends texts, and resolves when they are on their tickets. */
  warmUp: () => Promise<void>;
  /** Nothing is left to do that is no work of files: vectors of messages take the processors for a while. */
  settled: () => Promise<void>;
}

interface Programs {
  desk: Desk;
  /** Opens threads that have their tickets. */
  open: () => Promise<Opened>;
}

async function withPrograms(
  postgres: Postgres,
  name: string,
  measured: (programs: Programs) => Promise<void>,
): Promise<void> {
  const service = await postgres.database(`files_${name}`);
  const desk = await startDesk({ DATABASE_URL: service, FILE_MEGABYTES: '100' });
  const stored = await countsOf(service);
  const settled = async () => {
    await desk.calm();
    await soon('all vectors', stored.vectors);
  };
  await settled();
  const bridge = await desk.startBridge({
    DATABASE_URL: await postgres.database(`bridge_${name}`),
    // The recorder, which tells when a text arrives, is in the way of every byte; the script has none.
    ...(name !== 'texts' && { SERVICE_URL: `${desk.service}/api` }),
  });
  const open = async () => {
    const before = await stored.tickets();
    const threads = await openThreads(desk, Array<string>(THREADS).fill('it-help'), false);
    const areOpen = async () => (await stored.tickets()) >= before + THREADS || undefined;
    await soon('every thread to have its ticket', areOpen);
    await settled();
    const send: Send = (count, bytes) => sendWhilePaused({ desk, bridge, stored }, threads, { count, bytes });
    const warmUp = async () => {
      const before = await stored.messages();
      await talk(desk, threads, WARM_UP.texts, false);
      const areThere = async () => (await stored.messages()) >= before + WARM_UP.texts || undefined;
      await soon('every text on its ticket', areThere);
    };
    return { threads, send, warmUp, settled };
  };
  await measured({ desk, open });
  await bridge.stop();
  await stored.end();
  await desk.stop();
}

/**
 * Sends files that all wait for the bridge; resolves with them, and with the seconds until they are on their tickets.
 */
type Send = (
  count: number,
  bytes: number,
) => Promise<{ all: readonly ChatFile[]; until: () => Promise<number> }>;

async function sendWhilePaused(
  { desk, bridge, stored }: { desk: Desk; bridge: Program; stored: Awaited<ReturnType<typeof countsOf>> },
  threads: readonly Thread[],
  files: { count: number; bytes: number },
): ReturnType<Send> {
  bridge.pause();
  const before = await stored.files();
  const all = await upload(desk, threads, files);
  const began = performance.now();
  bridge.resume();
  const until = async () => {
    const areThere = async () => (await stored.files()) - before >= files.count || undefined;
    await soon(`${files.count} files on their tickets`, areThere, CROSSING_MS);
    return (performance.now() - began) / 1000;
  };
  return { all, until };
}

/** Counts what the service has, without a request to it. */
async function countsOf(database: string) {
  const client = new pg.Client({ connectionString: database });
  // After a failure it is not closed before the server; the failure itself is to be printed.
  client.on('error', () => undefined);
  await client.connect();
  const count = async (rows: string) => {
    const { rows: counted } = await client.query<{ count: string }>(`select count(*) from service.${rows}`);
    return Number(counted[0]?.count);
  };
  return {
    files: () => count('file where attached_at is not null'),
    tickets: () => count('ticket'),
    messages: () => count('ticket_message'),
    vectors: async () => (await count('embedding_due')) === 0 || undefined,
    end: () => client.end(),
  };
}

/** Uploads files to chat, several to a message if they are small. */
async function upload(
  desk: Desk,
  threads: readonly Thread[],
  { count, bytes }: { count: number; bytes: number },
): Promise<ChatFile[]> {
  const all: ChatFile[] = [];
  const together = Math.max(1, Math.floor(IN_A_MESSAGE / bytes));
  for (let at = 0; at < count; at += together) {
    const thread = threads[(at / together) % threads.length];
    const form = new FormData();
    for (const [name, value] of Object.entries({
      channel: thread?.channel ?? '',
      thread_ts: thread?.root ?? '',
      user: 'ada',
      text: 'look',
    }))
      form.append(name, value);
    for (let one = at; one < Math.min(count, at + together); one++)
      form.append('files', new Blob([randomBytes(bytes)]), `screen-${one}.png`);
    const answer = await fetch(`${desk.sandbox}/_control/upload`, { method: 'POST', body: form });
    if (!answer.ok) throw new Error(`the upload was answered with ${answer.status}: ${await answer.text()}`);
    const { message } = (await answer.json()) as { message: { files: ChatFile[] } };
    all.push(...message.files);
  }
  return all;
}

/** Resolves with the seconds that a script takes. */
async function copyBare(all: readonly ChatFile[], database: string, atOnce: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: database, max: atOnce });
  const agent = new Agent({ connections: atOnce });
  await pool.query('create table file (name text, bytes bytea)');
  const began = performance.now();
  await inTurn(all, atOnce, async ({ url_private_download: url }) => {
    const { body } = await request(url, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${DEMO.app.botToken}` },
    });
    await pool.query('insert into file values ($1, $2)', [url, Buffer.from(await body.arrayBuffer())]);
  });
  const seconds = (performance.now() - began) / 1000;
  await Promise.all([pool.end(), agent.close()]);
  return seconds;
}

/** Says texts at a fixed rate while `goesOn`; resolves with the milliseconds until each is on its ticket. */
async function sayInTime(
  desk: Desk,
  threads: readonly Thread[],
  goesOn: (count: number) => boolean,
): Promise<number[]> {
  const said: Promise<{ ts: string; sent: number }>[] = [];
  const began = performance.now();
  while (goesOn(said.length)) {
    const thread = threads[said.length % threads.length];
    if (thread) said.push(say(desk, thread.channel, `a text ${said.length}`, thread.root));
    const next = began + (said.length * 1000) / TEXTS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
  }
  const all = await Promise.all(said);
  await soon('all texts on their tickets', () =>
    Promise.resolve(all.every(({ ts }) => desk.recorder.taken.has(ts)) ? true : undefined),
  );
  return all.map(({ ts, sent }) => (desk.recorder.taken.get(ts) ?? Number.NaN) - sent);
}

if (import.meta.main) await runAlone(files);
