/**
 * How long a search by words and vectors takes, how long it blocks other requests, and how much memory it
 * keeps: `npm run bench -- search-speed`. The 100,000 tickets are the made-up history of the other rigs;
 * their concepts are those of the labelled tickets, with noise. The searches are labelled ones,
 * each with a common word of the history. Finally the word index is copied until it has a million tickets.
 */
import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';

import { sql } from 'kysely';
import pg from 'pg';

import { openDatabase } from '../src/platform/database/open.ts';
import { createLog } from '../src/platform/log.ts';
import { NOBODY } from '../src/service/access/viewer.ts';
import type { ServiceDb } from '../src/service/handler.ts';
import { SCHEMA } from '../src/service/schema/migrations.ts';
import type { Tables } from '../src/service/schema/tables.ts';
import { createBuiltInModel } from '../src/service/search/built-in/model.ts';
import { createEmbeddings } from '../src/service/search/embeddings.ts';
import { findTickets, type Meaning } from '../src/service/search/find.ts';
import type { Scope } from '../src/service/search/scope.ts';
import { conceptsFromBytes, conceptsToBytes } from '../src/service/search/vectors/bytes.ts';
import { percentile } from './lib/figures.ts';
import { fill, personId, VOCABULARY } from './lib/history.ts';
import { soon } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import { openBareService } from './lib/service.ts';
import { readQueries, readTickets } from './search-quality.ts';

const TICKETS = 100_000;
const MILLION = 1_000_000;
const STORED_AT_ONCE = 1_000;
const SEARCHES = 200;
/** How much the strengths of the same concepts differ from ticket to ticket. */
const NOISE = 0.1;
const MB = 1_048_576;

export async function searchSpeed(): Promise<void> {
  const postgres = await startPostgres();
  const log = createLog({ level: 'silent', pretty: false });
  const databaseUrl = await postgres.database('search_speed');
  const service = await openBareService(databaseUrl, {});
  await service.ensureWorkspace();
  await service.stop();
  const workspaceId = await fill(databaseUrl, TICKETS);
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 4 });
  await storeVectors(database.db, workspaceId);

  const embeddings = createEmbeddings({ builtIn: true }, () => new Date());
  await embeddings.prepare(database.db, log);
  const meaning = embeddings.meaningOf(undefined);
  const scope: Scope = { workspaceIds: [workspaceId], exclude: undefined, viewer: undefined };
  const find = (by: Meaning | undefined, words: string, of: Scope) =>
    findTickets(database.db, by, words, of, { limit: 10 });
  const search = (words: string, of = scope) => find(meaning, words, of);
  await soon('the model', async () => (await meaning?.(database.db, 'printer', scope)) && true);
  await search('printer');

  const queries = readQueries().map(({ text }) => text);
  const texts = Array.from(
    { length: SEARCHES },
    (_, at) => `${queries[at] ?? ''} ${VOCABULARY[40 + (at % 400)] ?? ''}`,
  );
  const kinds: [string, (words: string, at: number) => Promise<unknown>][] = [
    ['words alone', (words) => find(undefined, words, scope)],
    ['words and vectors, a new search, its vector made', (words) => search(words)],
    ['words and vectors, the vector at hand', (words) => search(words)],
    [
      'the same, as one person who may not see all',
      (words, at) => search(words, { ...scope, viewer: { ...NOBODY, personId: personId(at) } }),
    ],
  ];
  console.log(
    `\n${TICKETS} tickets, ${SEARCHES} searches of each kind one after the other, load ${loadavg()[0]}\n`,
  );
  console.log('| Search | p50 ms | p95 ms | CPU ms | longest hold ms |\n| --- | --: | --: | --: | --: |');
  let words = Number.NaN;
  for (const [name, send] of kinds) {
    const found = await timed(texts, send);
    if (name === 'words alone') words = percentile(found.times, 0.95);
    console.log(rowOf(name, found));
  }
  await embeddings.stop();
  const kept = await memoryOf(databaseUrl, workspaceId, 'built-in');
  const without = await memoryOf(databaseUrl, workspaceId, 'none');
  await copyIndex(databaseUrl);
  const found = await timed(texts, (each) => find(undefined, each, scope));
  console.log(rowOf('words alone, of a million', found));
  const ratio = percentile(found.times, 0.95) / words;
  console.log(`\np95 of words, of a million to ${TICKETS}: ${ratio.toFixed(1)}`);
  console.log(`memory of the model and its vectors: ${Math.round((kept - without) / MB)} MB`);
  await database.close();
}

interface Timed {
  times: number[];
  /** CPU time of this process per search, with the model's thread: meaningful on a busy machine, too. */
  cpuMs: number;
  /** The longest time for which other work of the process had to wait. */
  holdMs: number;
}

/** One search after the other. */
async function timed(
  texts: readonly string[],
  send: (words: string, at: number) => Promise<unknown>,
): Promise<Timed> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const times: number[] = [];
  for (const [at, words] of texts.entries()) {
    const began = performance.now();
    await send(words, at);
    times.push(performance.now() - began);
  }
  delay.disable();
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1_000 / texts.length, holdMs: delay.max / 1e6 };
}

function rowOf(name: string, { times, cpuMs, holdMs }: Timed): string {
  const cells = [percentile(times, 0.5), percentile(times, 0.95), cpuMs, holdMs].map((ms) => ms.toFixed(1));
  return `| ${name} | ${cells.join(' | ')} |`;
}

/** The memory in bytes of a separate process that has answered searches. */
async function memoryOf(url: string, workspaceId: string, model: 'built-in' | 'none'): Promise<number> {
  const program = path.join(import.meta.dirname, 'search-memory.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    program,
    url,
    workspaceId,
    model,
  ]);
  return Number(stdout);
}

/**
 * Copies the word index, each copy as older tickets; a search by words does not read the tickets themselves.
 */
async function copyIndex(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=service,public' });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid in ('ticket_search'::regclass, 'ticket_word'::regclass) and not indisprimary`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  const copies = MILLION / TICKETS - 1;
  await client.query(
    `insert into ticket_search (workspace_id, ticket_id, created_at, listed, private, title, title_words)
      select workspace_id, ticket_id || '_' || copy, created_at - copy * interval '100 days', listed, private, title,
        title_words
      from ticket_search, generate_series(1, $1::int) copy`,
    [copies],
  );
  await client.query(
    `insert into ticket_word (workspace_id, ticket_id, message_id, field, part, ticket_at, words)
      select workspace_id, ticket_id || '_' || copy, message_id, field, part, ticket_at - copy * interval '100 days', words
      from ticket_word, generate_series(1, $1::int) copy`,
    [copies],
  );
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { definition } of rows) await client.query(definition);
  await client.query('vacuum analyze ticket_search, ticket_word');
  await client.end();
}

/**
 * The concepts of each ticket, stored one second apart: those of a labelled ticket, slightly changed.
 */
async function storeVectors(db: ServiceDb, workspaceId: string): Promise<void> {
  const model = createBuiltInModel();
  const tickets = readTickets().map(({ title, description }) => `${title}\n${description}`);
  const real = await model.embed(tickets, 'document');
  await model.stop();
  for (let done = 0; done < TICKETS; done += STORED_AT_ONCE) {
    const numbers = Array.from({ length: STORED_AT_ONCE }, (_, place) => done + place + 1);
    const vectors = numbers.map((number) => withNoise(real[number % real.length] ?? new Uint8Array(0)));
    await sql`
      insert into ticket_embedding (provider, workspace_id, ticket_id, content_hash, vector, stored_at)
      select 'built-in', ${workspaceId}, 'tkt_' || lpad(number::text, 10, '0'), '', vector, now() - interval '1 second' * (${TICKETS} - number)
      from unnest(${numbers}::integer[], ${vectors}::bytea[]) as made (number, vector)`.execute(db);
  }
}

function withNoise(encoded: Uint8Array): Buffer {
  return conceptsToBytes(
    new Map(
      [...conceptsFromBytes(encoded)].map(([concept, strength]) => [
        concept,
        Math.max(0, Math.min(1, strength + (Math.random() * 2 - 1) * NOISE)),
      ]),
    ),
  );
}
