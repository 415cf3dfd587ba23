import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { createLog } from '../../src/platform/log.ts';
import { databaseContents } from '../harness/database-contents.ts';
import { removePost } from '../harness/remove-post.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { runCli, startProcess, type World } from '../harness/world.ts';

const run = promisify(execFile);
const CHANNEL = 'it-help';
const ROOMS = ['bridge', 'service'];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'deskbridge-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Works in the embedded database of a data directory that no process uses. */
async function inDatabase<Result>(
  dataDir: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const log = createLog({ level: 'silent', pretty: false });
  const database = await startEmbeddedPostgres({ dataDir, log });
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
    await database.stop();
  }
}

async function openTicket({ chat, service }: World, words: string): Promise<{ id: string; root: string }> {
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${words}`);
  return { id: (await ticketAt(service, root)).id, root };
}

const contentsOf = async ({ service }: World, ticketId: string) =>
  (await service.listTicketMessages({ query: { ticketId } })).items.map(({ content }) => content);

/** Waits until the ticket has exactly these messages: nothing is lost and nothing doubled. */
async function untilSaid(world: World, ticketId: string, expected: readonly string[]): Promise<void> {
  await until(
    `${ticketId} to say ${expected.join(', ')}`,
    async () => JSON.stringify(await contentsOf(world, ticketId)) === JSON.stringify(expected),
    { seen: () => contentsOf(world, ticketId) },
  );
}

test('F12 a copy of the data directory starts as the same desk, with its sealed secrets', async () => {
  const folder = await newFolder();
  const [original, copy] = [path.join(folder, 'data'), path.join(folder, 'copy')];
  const desk = (DATA_DIR: string) => startProcess({ DATABASE_URL: '', DATA_DIR }, ['start', '--demo']);
  const world = await desk(original);
  const { id, root } = await openTicket(world, 'the projector is dark');
  await world.service.createTicketMessage({ body: { ticketId: id, content: 'is it plugged in?' } });
  const secret = 'a-secret-of-more-than-24-characters';
  const body = { url: 'https://receiver.example/hook', secret };
  const webhook = await world.service.createWebhook({ body });
  await until('the answer in chat', async () => (await world.chat.thread(CHANNEL, root)).length === 2);
  expect(await world.stop()).toBe(0);
  await run('cp', ['-a', original, copy]);
  await rm(original, { recursive: true });

  const again = await desk(copy);
  await again.chat.say(CHANNEL, 'ada', 'it is now', root);
  await untilSaid(again, id, ['is it plugged in?', 'it is now']);
  expect((await again.service.readWebhook({ params: { id: webhook.id } })).secret).toBe(secret);
  expect(await again.stop()).toBe(0);
});

test('F12 a data directory from before the first release is refused in one sentence, and stays as it was', async () => {
  const DATA_DIR = path.join(await newFolder(), 'data');
  const world = await startProcess({ DATABASE_URL: '', DATA_DIR }, ['start', '--demo']);
  await openTicket(world, 'the lamp flickers');
  expect(await world.stop()).toBe(0);
  // The step that its version had: another text of the first one.
  await inDatabase(DATA_DIR, (client) =>
    client.query(`update bridge.migration set name = '0001-000000000000' where name like '0001-%'`),
  );
  const sandbox = path.join(DATA_DIR, 'sandbox.db');
  const before = [
    await inDatabase(DATA_DIR, databaseContents),
    await readFile(sandbox),
    await readdir(DATA_DIR),
  ];
  for (const command of [['start', '--demo'], ['start'], ['migrate']]) {
    const { code, out, err } = await runCli(command, { ...world.environment, DATA_DIR, LOG_LEVEL: 'silent' });
    expect([code, out, err]).toEqual([
      1,
      '',
      expect.stringMatching(
        /^deskbridge cannot continue:\n {2}An earlier version of deskbridge, .*"bridge".*nothing was changed\.\n$/,
      ),
    ]);
  }
  const after = [
    await inDatabase(DATA_DIR, databaseContents),
    await readFile(sandbox),
    await readdir(DATA_DIR),
  ];
  expect(after).toEqual(before);
});

test('F12 a dump restores both sides row by row, and later messages from chat are added again', async ({
  skip,
}) => {
  const world = await startProcess({ RECONCILE_EVERY_SECONDS: '2', CHAT_READS_PER_MINUTE: '6000' });
  const url = world.environment['DATABASE_URL'] ?? '';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows: versions } = await client.query<{ server_version_num: string }>('show server_version_num');
  const server = Math.trunc(Number(versions[0]?.server_version_num) / 10_000);
  const tool = await dumpVersion();
  if (tool < server) skip(`pg_dump for Postgres ${server} is not installed here (found: ${tool})`);

  const { chat, service } = world;
  const { id, root } = await openTicket(world, 'the door sticks');
  await chat.say(CHANNEL, 'ada', 'only when it rains', root);
  await service.createTicketMessage({ body: { ticketId: id, content: 'which door?' } });
  await world.untilIdle();
  const file = path.join(await newFolder(), 'dump');
  await client.query('begin isolation level repeatable read');
  const { rows } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
  const schemas = ROOMS.map((room) => `--schema=${room}`);
  const snapshot = `--snapshot=${rows[0]?.snapshot ?? ''}`;
  await run('pg_dump', ['--format=custom', `--file=${file}`, snapshot, ...schemas, url]);
  const dumped = await everyRow(client);
  await client.query('commit');

  const front = await chat.say(CHANNEL, 'ada', 'the front dor', root);
  await chat.edit(CHANNEL, 'ada', front.ts, 'the front door');
  const later = await openTicket(world, 'the bell is silent');
  await untilSaid(world, id, ['only when it rains', 'which door?', 'the front door']);
  await service.createTicketMessage({ body: { ticketId: id, content: 'ask the landlord', private: true } });
  await world.untilIdle();
  const shown = (await inTeam(world, id)).map(({ text }) => text);
  expect(shown).toEqual(['only when it rains', 'which door?', 'the front door', 'ask the landlord']);
  await world.stop();
  for (const room of ROOMS) await client.query(`drop schema ${room} cascade`);
  await run('pg_restore', ['--exit-on-error', `--dbname=${url}`, file]);
  expect(await everyRow(client)).toEqual(dumped);

  await world.restart();
  await untilSaid(world, id, ['only when it rains', 'which door?', 'the front door']);
  expect((await ticketAt(service, later.root)).title).toBe('the bell is silent');
  await world.untilIdle();
  const posted = (await chat.thread(CHANNEL, root)).map(({ text }) => text);
  expect(posted.filter((text) => text === 'which door?')).toHaveLength(1);
  // What was written in Slack is shown once, by a new post; the note is only here now.
  await until('the lost copy to be taken back', async () => (await inTeam(world, id)).length === 4, {
    seen: () => inTeam(world, id),
  });
  const restored = await inTeam(world, id);
  expect(restored.map(({ text }) => text).toSorted()).toEqual(shown.toSorted());
  const note = restored.find(({ text }) => text === 'ask the landlord');
  await removePost(world, note?.channel ?? '', note?.ts ?? '');
});

/** What the team's thread of a ticket shows. */
async function inTeam({ chat }: World, ticketId: string) {
  const cards = await chat.messages('it-triage');
  const card = cards.find(({ metadata }) => metadata?.event_payload['card'] === ticketId);
  return chat.thread('it-triage', card?.ts ?? '');
}

/** The major version of pg_dump on this machine; 0 if it is missing. */
async function dumpVersion(): Promise<number> {
  const { stdout } = await run('pg_dump', ['--version']).catch(() => ({ stdout: '' }));
  return Number(/ (\d+)/.exec(stdout)?.[1] ?? 0);
}

/** Every row of both sides, by table, as text. */
async function everyRow(client: pg.Client): Promise<Record<string, string[]>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1) order by 1`,
    [ROOMS],
  );
  expect(tables.length).toBeGreaterThan(50);
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}
