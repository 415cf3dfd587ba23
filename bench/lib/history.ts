/** Fills a service's database in bulk with the history of a desk: a thousand tickets a day, up to now. */
import pg from 'pg';

import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { SCHEMA } from '../../src/service/schema/migrations.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { rebuildIndex } from '../../src/service/search/index/rebuild.ts';

const log = createLog({ level: 'silent', pretty: false });

/** Tickets per day. Queries for recent days return the same amount however long the history is. */
export const TICKETS_A_DAY = 1_000;
/** The number of newest tickets that are still open. */
const OPEN = 2_000;
const PEOPLE = 200;
const CHANNELS = 50;
/** Rows per insert. */
const CHUNK = 50_000;
const WORDS_IN_TICKET = 25;

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');

/**
 * Words from the most common to the rarest: the word of rank r appears in about 1/r as many texts as the
 * first, as in natural language. They have no meaning, and none is the stem of another.
 */
export const VOCABULARY: readonly string[] = Array.from({ length: 2_000 }, (_, rank) => {
  const digits = [rank % 20, Math.floor(rank / 20) % 20, Math.floor(rank / 400), (rank * 7) % 20];
  return `${digits.map((digit) => SYLLABLES[digit] ?? '').join('')}k`;
});

/** The position of a ticket in chat, by its number: its first message and its reply. */
export const placeOf = (number: number) => ({
  channel: `C0BENCH${String(number % CHANNELS).padStart(3, '0')}`,
  root: `${1_700_000_000 + number}.000100`,
  reply: `${1_700_000_000 + number}.000200`,
});

export const personId = (at: number) => `usr_bench_${at % PEOPLE}`;

/**
 * Adds tickets with one message each to the first workspace; resolves with its id when all are indexed and
 * counted.
 */
export async function fill(url: string, tickets: number): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c search_path=service,public -c timezone=UTC',
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; queue: string }>(
      'select w.id, q.id as queue from workspace w join queue q on q.workspace_id = w.id order by q.created_at limit 1',
    );
    const { id: workspace = '', queue = '' } = rows[0] ?? {};
    await client.query(PERSONS, [workspace, PEOPLE]);
    for (let done = 0; done < tickets; done += CHUNK) {
      const most = Math.min(CHUNK, tickets - done);
      await client.query('begin');
      // The search index is written below, and all references are valid.
      await client.query('set local session_replication_role = replica');
      await client.query(TICKETS, [workspace, queue, done + 1, done + most, tickets, VOCABULARY]);
      for (const statement of [REFERENCES, THREADS, APPROVERS, MESSAGES, COPIES])
        await client.query(statement, [workspace, done + 1, done + most]);
      await client.query('commit');
    }
    await client.query('update queue set last_number = $1', [tickets]);
    const database = openDatabase<Tables>({ url, schema: SCHEMA, log, poolSize: 1 });
    await rebuildIndex(database.db);
    await database.close();
    await client.query('vacuum analyze');
    return workspace;
  } finally {
    await client.end();
  }
}

const PERSONS = `insert into person (workspace_id, id, first_name, last_name, email, created_at, updated_at)
  select $1, 'usr_bench_' || n, 'Person', n::text, 'person' || n || '@bench.example', now(), now()
  from generate_series(0, $2::int - 1) n`;

// The inner select depends on the ticket, so that each word is drawn separately.
const TICKETS = `insert into ticket (workspace_id, id, queue_id, number, short_id, title, description, priority, private,
    source, requester_id, author_id, assignee_id, status_id, chat_channel_id, published_at, responded_at, resolved_at,
    closed_at, created_at, updated_at, stamped_at)
  select $1, 'tkt_' || lpad(n::text, 10, '0'), $2, n, 'b' || lpad(to_hex(n), 7, '0'), said.title, said.description,
    (array['URGENT', 'HIGH', 'MEDIUM', 'LOW'])[1 + n % 4], n % 10 = 0, 'CHAT', 'usr_bench_' || n * 7 % ${PEOPLE},
    'usr_bench_' || n * 7 % ${PEOPLE}, case when n % 2 = 0 then 'usr_bench_' || n % 10 end, status.id,
    'C0BENCH' || lpad((n % ${CHANNELS})::text, 3, '0'), at, at + interval '5 minutes',
    case when status.label = 'Closed' then at + interval '1 hour' end,
    case when status.label = 'Closed' then at + interval '2 hours' end, at, at, at
  from generate_series($3::int, $4::int) n
  cross join lateral (select now() - ($5::int - n) * interval '1 day' / ${TICKETS_A_DAY} as at) time
  cross join lateral (
    select string_agg(word, ' ') filter (where place <= 5) as title, string_agg(word, ' ') as description
    from (select place, ($6::text[])[floor(power(2000, random()))::int] as word
      from generate_series(1, ${WORDS_IN_TICKET} + n * 0) place) drawn
  ) said
  join status on status.workspace_id = $1
    and status.label = case when n > $5::int - ${OPEN} then 'Open' else 'Closed' end`;

const REFERENCES = `insert into ticket_reference (workspace_id, queue_id, number, ticket_id)
  select workspace_id, queue_id, number, id from ticket where workspace_id = $1 and number between $2 and $3`;

const THREADS = `insert into chat_thread (workspace_id, id, ticket_id, type, channel_id, message_ts, created_at, updated_at)
  select workspace_id, 'cht_bench_' || number, id, 'REQUEST', chat_channel_id,
    (1700000000 + number) || '.000100', created_at, created_at
  from ticket where workspace_id = $1 and number between $2 and $3`;

const APPROVERS = `insert into ticket_approver (workspace_id, ticket_id, person_id, position)
  select workspace_id, id, 'usr_bench_' || number % 20, 0 from ticket
  where workspace_id = $1 and number between $2 and $3 and number % 20 = 0`;

const MESSAGES = `insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status,
    chat_channel_id, created_at, updated_at)
  select workspace_id, 'msg_bench_' || number, id, title, requester_id, 'CHAT', 'CREATED', chat_channel_id,
    created_at, created_at
  from ticket where workspace_id = $1 and number between $2 and $3`;

const COPIES = `insert into chat_message (workspace_id, id, ticket_message_id, channel_id, ts, created_at, updated_at)
  select workspace_id, 'chm_bench_' || number, 'msg_bench_' || number, chat_channel_id,
    (1700000000 + number) || '.000200', created_at, created_at
  from ticket where workspace_id = $1 and number between $2 and $3`;
