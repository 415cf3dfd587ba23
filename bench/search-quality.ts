/**
 * How well search finds the labelled tickets of `bench/search-quality`: `npm run bench -- search-quality`.
 * Measures words alone, meaning alone and both, on the half that weights and cut-offs are chosen with and on
 * the held-out half.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { sql } from 'kysely';
import { z } from 'zod';

import { systemClock } from '../src/platform/clock.ts';
import { openDatabase, transaction } from '../src/platform/database/open.ts';
import { createIds, type NewId } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import type { ServiceDb } from '../src/service/handler.ts';
import { createEmbeddings } from '../src/service/search/embeddings.ts';
import { findTickets, type Meaning } from '../src/service/search/find.ts';
import { SCHEMA } from '../src/service/schema/migrations.ts';
import type { Tables } from '../src/service/schema/tables.ts';
import { createQueue } from '../src/service/schema/workspace.ts';
import { soon } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import { openBareService } from './lib/service.ts';

const LIMIT = 10;
/** Bootstrap samples for the 95 % interval of each mean. */
const DRAWS = 2_000;

const Tickets = z.array(
  z.object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    messages: z.array(z.object({ author: z.string(), text: z.string() })),
    requester: z.string(),
  }),
);
const Queries = z.array(
  z.object({
    kind: z.string(),
    half: z.enum(['tune', 'report']),
    text: z.string(),
    relevant: z.record(z.string(), z.number()),
  }),
);
type Query = z.output<typeof Queries>[number];

const read = <T>(name: string, schema: z.ZodType<T>): T =>
  schema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'search-quality', name), 'utf8')));

export const readTickets = () => read('tickets.json', Tickets);
export const readQueries = () => read('queries.json', Queries);

/** The result of one search method for one query: ticket references, best first. */
type Search = (words: string) => Promise<string[]>;

export async function searchQuality(): Promise<void> {
  const queries = readQueries();
  const { searches, stop } = await fillService();
  try {
    for (const half of ['tune', 'report'] as const) {
      console.log(`\n## ${half === 'tune' ? 'The half to choose on' : 'The half that is only measured'}\n`);
      console.log('| Queries | Measure | Words | Meaning | Both |\n| --- | --- | --- | --- | --- |');
      const asked = queries.filter((query) => query.half === half);
      const found = await Promise.all(Object.values(searches).map((search) => answerAll(search, asked)));
      for (const line of linesOf(asked, found)) console.log(line);
    }
  } finally {
    await stop();
  }
}

async function answerAll(search: Search, queries: readonly Query[]): Promise<string[][]> {
  const answers: string[][] = [];
  for (const { text } of queries) answers.push(await search(text));
  return answers;
}

async function fillService(): Promise<{ searches: Record<string, Search>; stop: () => Promise<void> }> {
  const postgres = await startPostgres();
  const log = createLog({ level: 'silent', pretty: false });
  const databaseUrl = await postgres.database('search_quality');
  const newId = createIds(systemClock);
  const service = await openBareService(databaseUrl, { builtIn: true });
  const workspaceId = await service.ensureWorkspace();
  await service.begin();
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 2 });
  const { db } = database;
  const references = await insertTickets(db, workspaceId, newId);
  const embeddings = createEmbeddings({ builtIn: true }, () => new Date());
  await embeddings.prepare(db, log);
  await soon('all tickets to have their vectors', async () => {
    const due = await db.selectFrom('embedding_due').select('ticket_id').limit(1).execute();
    return due.length === 0 ? true : undefined;
  });
  const meaning = embeddings.meaningOf(undefined);
  const scope = { workspaceIds: [workspaceId], exclude: undefined, viewer: undefined };
  await soon('the model', async () => (await meaning?.(db, 'printer', scope)) && true);
  const search =
    (by: Meaning | undefined): Search =>
    async (text) => {
      const found = await findTickets(db, by, text, scope, { limit: LIMIT });
      return found.map(({ id }) => references.get(id) ?? '');
    };
  const byMeaning: Search = async (text) => {
    const near = (await (await meaning?.(db, text, scope))?.near([])) ?? [];
    return near
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, LIMIT)
      .map(({ ticketId }) => references.get(ticketId) ?? '');
  };
  return {
    searches: { words: search(undefined), meaning: byMeaning, both: search(meaning) },
    async stop() {
      await embeddings.stop();
      await database.close();
      await service.stop();
    },
  };
}

/** Written directly into the tables; their triggers index them. Resolves with the reference of each id. */
async function insertTickets(db: ServiceDb, workspaceId: string, newId: NewId): Promise<Map<string, string>> {
  const tickets = readTickets();
  const at = new Date();
  const dates = { created_at: at, updated_at: at };
  const { id: statusId } = await db
    .selectFrom('status')
    .select('id')
    .orderBy('position')
    .executeTakeFirstOrThrow();
  const names = new Set(
    tickets.flatMap((ticket) => [ticket.requester, ...ticket.messages.map((each) => each.author)]),
  );
  const people = new Map<string, string>();
  for (const name of names) {
    const [first = '', ...last] = name.split(' ');
    const id = newId('usr');
    people.set(name, id);
    await db
      .insertInto('person')
      .values({ workspace_id: workspaceId, id, first_name: first, last_name: last.join(' '), ...dates })
      .execute();
  }
  const queues = new Map<string, string>();
  for (const prefix of new Set(tickets.map(({ id }) => id.split('-')[0] ?? ''))) {
    const queue = { workspaceId, name: prefix, prefix, emoji: '🎫' };
    queues.set(prefix, await transaction(db, (tx) => createQueue(tx, { newId }, at, queue)));
  }
  const references = new Map<string, string>();
  for (const ticket of tickets) {
    const id = newId('tkt');
    references.set(id, ticket.id);
    const [prefix = '', number = ''] = ticket.id.split('-');
    await sql`
      insert into ticket (workspace_id, id, queue_id, number, short_id, title, description, priority, source,
        requester_id, status_id, created_at, updated_at, stamped_at)
      values (${workspaceId}, ${id}, ${queues.get(prefix)}, ${Number(number)}, ${id.slice(-8)}, ${ticket.title},
        ${ticket.description}, 'MEDIUM', 'WEB', ${people.get(ticket.requester)}, ${statusId}, ${at}, ${at}, ${at})`.execute(
      db,
    );
    await sql`
      insert into ticket_reference (workspace_id, queue_id, number, ticket_id)
      values (${workspaceId}, ${queues.get(prefix)}, ${Number(number)}, ${id})`.execute(db);
    for (const [place, message] of ticket.messages.entries())
      await sql`
        insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status, private,
          created_at, updated_at)
        values (${workspaceId}, ${newId('msg')}, ${id}, ${message.text}, ${people.get(message.author)}, 'WEB', 'CREATED',
          false, ${new Date(at.getTime() + place)}, ${new Date(at.getTime() + place)})`.execute(db);
  }
  return references;
}

/** The table: one line per measure, with its 95 % interval. */
function linesOf(queries: readonly Query[], found: readonly string[][][]): string[] {
  const answered = (kind?: string) => (query: Query) =>
    query.kind !== 'none' && (kind === undefined || query.kind === kind);
  const lines: { name: string; measure: string; of: (query: Query) => boolean; value: Measure }[] = [
    { name: 'with an answer', measure: 'hit@5', of: answered(), value: hit },
    { name: 'with an answer', measure: 'nDCG@10', of: answered(), value: ndcg },
    { name: 'with an answer', measure: 'MRR', of: answered(), value: reciprocalRank },
    ...['short', 'words', 'typo', 'paraphrase', 'conversation', 'reference'].map((kind) => ({
      name: kind,
      measure: 'hit@5',
      of: answered(kind),
      value: hit,
    })),
    {
      name: 'without an answer',
      measure: 'nothing found',
      of: ({ kind }) => kind === 'none',
      value: (ids) => (ids.length === 0 ? 1 : 0),
    },
  ];
  return lines.map(({ name, measure, of, value }) => {
    const cells = found.map((answers) =>
      interval(queries.flatMap((query, place) => (of(query) ? [value(answers[place] ?? [], query)] : []))),
    );
    return `| ${name} | ${measure} | ${cells.join(' | ')} |`;
  });
}

type Measure = (ids: readonly string[], query: Query) => number;

const hit: Measure = (ids, { relevant }) => (ids.slice(0, 5).some((id) => relevant[id]) ? 1 : 0);

const reciprocalRank: Measure = (ids, { relevant }) => {
  const place = ids.findIndex((id) => relevant[id]);
  return place < 0 ? 0 : 1 / (place + 1);
};

const ndcg: Measure = (ids, { relevant }) => {
  const gain = (grades: readonly number[]) =>
    grades.reduce((total, grade, place) => total + (2 ** grade - 1) / Math.log2(place + 2), 0);
  const best = gain(Object.values(relevant).sort((a, b) => b - a));
  return gain(ids.slice(0, LIMIT).map((id) => relevant[id] ?? 0)) / best;
};

/** The mean and the 95 % interval of the means of samples drawn with replacement. */
function interval(values: readonly number[]): string {
  const mean = (all: readonly number[]) => all.reduce((total, value) => total + value, 0) / all.length;
  // Seeded, so that two runs with the same results print the same.
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const means = Array.from({ length: DRAWS }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  ).sort((a, b) => a - b);
  const at = (share: number) => (means[Math.floor(DRAWS * share)] ?? 0).toFixed(2);
  return `${mean(values).toFixed(2)} (${at(0.025)}–${at(0.975)})`;
}
