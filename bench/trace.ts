/**
 * Which statements a message costs, in which program, and how many commits that had something to write:
 * `node bench/trace.ts`. Prints one table for messages from chat and one for answers from tickets, as docs/numbers.md
 * counts them. This is not a rig: Postgres logs every statement meanwhile, which takes time too.
 */
import pg from 'pg';

import { startEmbeddedPostgres } from '../src/platform/database/embedded.ts';
import type { Log } from '../src/platform/log.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { closeLoad, must, soon } from './lib/load.ts';
import { atEnd, endAll, scratch } from './lib/programs.ts';
import { leaveNothing } from './lib/report.ts';
import { openThreads, say, type Thread } from './lib/talk.ts';

const WARM_UP = 40;
const MESSAGES = 20;
/** Periodic work of a program shows as such by its small count. */
const APART_MS = 400;

/** One line of the server's log, after its prefix: `duration: 0.05 ms  execute <name>: select …`. */
const LINE =
  /^\S+ \S+ \S+ \[(\d+)\] LOG: {2}duration: ([\d.]+) ms {2}(parse|bind|execute|statement)[^:]*: (.*)$/s;

interface Statement {
  program: string;
  text: string;
  times: number;
  ms: number;
}

leaveNothing();
const lines: string[] = [];
const log = {
  debug: ({ postgres }: { postgres?: string }) => postgres !== undefined && lines.push(postgres),
};
const dataDir = scratch();
/** The program that each server process belongs to. */
const programs = new Map<string, string>();
const urls = { service: await open('service'), bridge: await open('bridge') };
const desk = await startDesk({ DATABASE_URL: urls.service });
// As the rigs: one post for each answer, none for each message.
await desk.setTeamThreads('notes');
await desk.startBridge({ DATABASE_URL: urls.bridge });
const server = new pg.Client(urls.service);
const bridge = new pg.Client(urls.bridge);
for (const client of [server, bridge]) await client.connect();
await server.query('create extension pg_walinspect');
const threads = await openThreads(
  desk,
  Array.from({ length: 4 }, () => 'it-help'),
);
const tickets = await must('GET', `${desk.service}/api/tickets?limit=${threads.length}`, undefined, desk.key);
const ids = (tickets as { items: { id: string }[] }).items.map(({ id }) => id);

for (const [title, send] of [
  ['A message from chat', fromChat],
  ['An answer from its ticket', fromTicket],
] as const) {
  await each(WARM_UP, send);
  lines.length = 0;
  const from = await endOfLog();
  await each(MESSAGES, send);
  const to = await endOfLog();
  await nameProcesses();
  console.log(tableOf(title, statementsIn(lines)));
  console.log(await commitsBetween(from, to));
}
for (const client of [server, bridge]) await client.end();
await endAll();
await closeLoad();

async function endOfLog(): Promise<string | undefined> {
  const { rows } = await server.query<{ at: string }>('select pg_current_wal_insert_lsn() as at');
  return rows[0]?.at;
}

/** The commits that had something to write, by the tables in which they inserted, updated or deleted rows. */
async function commitsBetween(from: string | undefined, to: string | undefined): Promise<string> {
  const tables = new Map<string, string>();
  for (const client of [server, bridge]) {
    const { rows } = await client.query<{ relation: string; name: string }>(
      `select pg_database.oid || '/' || pg_relation_filenode(pg_class.oid) as relation,
        relnamespace::regnamespace || '.' || relname as name
      from pg_class, pg_database where datname = current_database() and relkind = 'r'`,
    );
    for (const { relation, name } of rows) tables.set(relation, name);
  }
  const { rows: commits } = await server.query<{ written: string[] | null }>(
    `select array_agg(distinct relation) filter (where resource_manager = 'Heap' and record_type <> 'LOCK') as written
    from pg_get_wal_records_info($1, $2)
      left join lateral (select substring(block_ref from 'rel \\d+/(\\d+/\\d+)') as relation) as block on true
    group by xid::text having bool_or(resource_manager = 'Transaction' and record_type = 'COMMIT')`,
    [from, to],
  );
  const times = new Map<string, number>();
  for (const { written } of commits) {
    const names = (written ?? []).flatMap((relation) => tables.get(relation) ?? []).toSorted();
    const key = names.map((name) => `\`${name}\``).join(', ');
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  const rows = [...times]
    .toSorted(([, one], [, other]) => other - one)
    .map(([names, count]) => `| ${(count / MESSAGES).toFixed(2)} | ${names} |`);
  return [
    `\n${(commits.length / MESSAGES).toFixed(1)} commits with something to write:\n`,
    '| Times | Tables |',
    '| --- | --- |',
    ...rows,
  ].join('\n');
}

/** A database with statement logging on. */
async function open(databaseName: string): Promise<string> {
  const server = await startEmbeddedPostgres({
    dataDir,
    log: log as unknown as Log,
    databaseName,
    maxConnections: 200,
  });
  atEnd(() => server.stop());
  const client = new pg.Client(server.url);
  await client.connect();
  for (const setting of [
    `log_min_messages to 'log'`,
    'log_min_duration_statement to 0',
    `log_error_verbosity to 'terse'`,
  ])
    await client.query(`alter database "${databaseName}" set ${setting}`);
  await client.end();
  return server.url;
}

async function nameProcesses(): Promise<void> {
  const { rows } = await server.query<{ pid: number; name: string }>(
    `select pid, application_name as name from pg_stat_activity where application_name like 'deskbridge%'`,
  );
  for (const { pid, name } of rows) programs.set(String(pid), name.split(' ').at(-1) ?? '');
}

async function each(
  count: number,
  send: (desk: Desk, thread: Thread, at: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < count; at++) {
    const thread = threads[at % threads.length];
    if (thread) await send(desk, thread, at);
    await new Promise((resolve) => setTimeout(resolve, APART_MS));
  }
}

async function fromChat({ recorder }: Desk, { channel, root }: Thread, at: number): Promise<void> {
  const { ts } = await say(desk, channel, `line ${at}`, root);
  await soon('it to be on its ticket', () => Promise.resolve(recorder.taken.has(ts) || undefined));
}

async function fromTicket({ service, key }: Desk, _thread: Thread, at: number): Promise<void> {
  await must(
    'POST',
    `${service}/api/ticket-messages`,
    { ticketId: ids[at % ids.length], content: `answer ${at}` },
    key,
  );
}

function statementsIn(logged: readonly string[]): Statement[] {
  const found = new Map<string, Statement>();
  /** The parts of a prepared statement are logged one by one; the last is the statement itself. */
  const parts = new Map<string, number>();
  for (const entry of entriesOf(logged)) {
    const [, pid = '', ms = '0', part, written = ''] = LINE.exec(entry) ?? [];
    const spent = (parts.get(pid) ?? 0) + Number(ms);
    if (part === 'parse' || part === 'bind') parts.set(pid, spent);
    else if (part !== undefined) {
      parts.delete(pid);
      const program = programs.get(pid) ?? '';
      const text = shortened(written);
      const statement = found.get(`${program} ${text}`) ?? { program, text, times: 0, ms: 0 };
      found.set(`${program} ${text}`, { ...statement, times: statement.times + 1, ms: statement.ms + spent });
    }
  }
  return [...found.values()];
}

/** A statement of several lines is logged line by line. */
function entriesOf(logged: readonly string[]): string[] {
  const entries: string[] = [];
  for (const line of logged)
    if (/ \[\d+\] [A-Z]+: /.test(line)) entries.push(line);
    else entries.push(`${entries.pop() ?? ''} ${line}`);
  return entries;
}

function shortened(text: string): string {
  const plain = text
    .replace(/\s+/g, ' ')
    .replace(/"/g, '')
    .replace(/'[^']*'/g, '…')
    .trim();
  return plain.length > 90 ? `${plain.slice(0, 89)}…` : plain;
}

function tableOf(title: string, statements: readonly Statement[]): string {
  const own = statements.filter(({ program, times }) => program !== '' && times >= MESSAGES / 4);
  const sum = (of: readonly Statement[]) =>
    (of.reduce((all, { times }) => all + times, 0) / MESSAGES).toFixed(1);
  const perProgram = ['sandbox', 'bridge', 'service'].map(
    (name) => `${name} ${sum(own.filter(({ program }) => program === name))}`,
  );
  const rows = own
    .toSorted((a, b) => a.program.localeCompare(b.program) || b.ms - a.ms)
    .map(
      ({ program, text, times, ms }) =>
        `| ${program} | ${(times / MESSAGES).toFixed(1)} | ${(ms / MESSAGES).toFixed(2)} | \`${text}\` |`,
    );
  return [
    `\n## ${title}: ${sum(own)} statements (${perProgram.join(', ')})\n`,
    '| Program | Times | ms | Statement |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}
