import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';

import type { MemorySocket, Network } from './network.ts';

const EXTENSIONS = { pg_trgm, btree_gin };
/** In this schema are functions that take the place of Postgres' own ones: found before those, after the program's. */
const SCHEMA = 'simulation';

/**
 * Session locks, which the one session of PGlite would always get: who holds one is a row, and a connection's rows go with
 * it. Locks of transactions are free, as one transaction runs at a time.
 */
const SESSION_LOCKS = `
  create schema if not exists ${SCHEMA};
  create table if not exists ${SCHEMA}.session_lock (connection text not null, key bigint not null);
  create or replace function ${SCHEMA}.pg_advisory_lock_shared(bigint) returns void language sql as $$
    insert into ${SCHEMA}.session_lock values (current_setting('${SCHEMA}.connection'), $1) $$;
  create or replace function ${SCHEMA}.pg_try_advisory_xact_lock(bigint) returns boolean language sql as $$
    select not exists (
      select from ${SCHEMA}.session_lock
      where key = $1 and connection <> current_setting('${SCHEMA}.connection')) $$;`;

const TABLES = `
  select c.relname as name, string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.relname order by c.relname`;
const SEQUENCES = `
  select sequencename as name, coalesce(last_value, start_value) as last, last_value is not null as called
  from pg_sequences where schemaname = $1 order by 1`;

const PROTOCOL = { startup: 196_608, ssl: 80_877_103, cancel: 80_877_102 };
const IDLE = 'I'.charCodeAt(0);

/**
 * A Postgres for the programs of a simulation: PGlite, at a port of the simulated network. PGlite has one session; each
 * connection has its own prepared statements, settings, notifications and session locks here, and a transaction lets the
 * others wait until it ends. So waiting for locks, deadlocks and what two transactions see of each other are not simulated.
 */
export class SimulatedPostgres {
  readonly #lite: PGlite;
  readonly #connections = new Set<Connection>();
  /** The connection whose transaction has begun. */
  #owner: Connection | undefined;
  #waiting: Connection[] = [];
  /** Whose settings the session has. */
  #current: Connection | undefined;
  #count = 0;
  #reset = '';
  readonly port: number;

  private constructor(lite: PGlite, network: Network) {
    this.#lite = lite;
    this.port = network.listen(0, (socket) => {
      this.#connections.add(new Connection(socket, this, `c${this.#count++}`));
    });
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Opens an empty database. */
  static async open(network: Network): Promise<SimulatedPostgres> {
    const lite = await PGlite.create({ extensions: EXTENSIONS });
    await lite.exec(SESSION_LOCKS);
    return new SimulatedPostgres(lite, network);
  }

  /** Keeps the contents of a schema's tables, for `reset`; while no program is connected. */
  async keep(schema: string): Promise<void> {
    const { rows: tables } = await this.#lite.query<{ name: string; columns: string }>(TABLES, [schema]);
    const { rows: sequences } = await this.#lite.query<{ name: string; last: string; called: boolean }>(
      SEQUENCES,
      [schema],
    );
    const kept = `${schema}_kept`;
    await this.#lite.exec(
      [
        `create schema ${kept}`,
        ...tables.map(({ name }) => `create table ${kept}."${name}" as table ${schema}."${name}"`),
      ].join(';'),
    );
    const names = tables.map(({ name }) => `${schema}."${name}"`).join(', ');
    this.#reset = [
      `delete from ${SCHEMA}.session_lock`,
      // No key is checked and no trigger runs: what was kept was right.
      `set session_replication_role = replica`,
      `truncate ${names}`,
      ...tables.map(
        ({ name, columns }) =>
          `insert into ${schema}."${name}" (${columns}) overriding system value select ${columns} from ${kept}."${name}"`,
      ),
      ...sequences.map(
        ({ name, last, called }) => `select setval('${schema}."${name}"', ${last}, ${called})`,
      ),
      `set session_replication_role = default`,
    ].join(';');
  }

  /** Brings back what was kept. What is still connected is forgotten. */
  async reset(): Promise<void> {
    this.#connections.clear();
    this.#waiting = [];
    if (this.#owner) this.#quietly('rollback');
    this.#owner = undefined;
    await this.#lite.exec('deallocate all');
    await this.#lite.exec(this.#reset);
    this.#current = undefined;
    this.#count = 0;
  }

  /** Runs what connections wait for, as far as no transaction of another one is open. */
  work(connection: Connection): void {
    if (!this.#waiting.includes(connection)) this.#waiting.push(connection);
    while (this.#waiting.length > 0) {
      const next = this.#owner ? this.#waiting.find((each) => each === this.#owner) : this.#waiting[0];
      if (!next) return;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      for (let unit = next.take(); unit; unit = next.take()) {
        next.send(this.#exec(next, unit));
        if (this.#owner && this.#owner !== next) break;
      }
    }
  }

  /** A connection is gone: its transaction is rolled back, and its session locks are free. */
  forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#waiting = this.#waiting.filter((each) => each !== connection);
    if (this.#owner === connection) {
      this.#quietly('rollback');
      this.#owner = undefined;
      for (const run of connection.afterTransaction.splice(0)) run();
    }
    const clean = () => {
      this.#quietly(`delete from ${SCHEMA}.session_lock where connection = '${connection.name}'`);
      const [next] = this.#waiting;
      if (next) this.work(next);
    };
    if (this.#owner) this.#owner.afterTransaction.push(clean);
    else clean();
  }

  #exec(connection: Connection, unit: Buffer): Buffer {
    if (this.#current !== connection) {
      this.#quietly(connection.settings);
      this.#current = connection;
    }
    const answer = Buffer.from(this.#lite.execProtocolRawSync(unit));
    const { own, notifications, status } = sorted(answer);
    this.#owner = status === IDLE ? undefined : connection;
    for (const { channel, message } of notifications)
      for (const each of this.#connections) if (each.channels.has(channel)) each.send(message);
    if (!this.#owner) for (const run of connection.afterTransaction.splice(0)) run();
    return own;
  }

  #quietly(sql: string): void {
    this.#lite.execProtocolRawSync(message('Q', Buffer.from(`${sql}\0`)));
  }
}

/** One connection of a program. */
class Connection {
  readonly name: string;
  readonly #socket: MemorySocket;
  readonly channels = new Set<string>();
  readonly afterTransaction: (() => void)[] = [];
  settings = '';
  #received = Buffer.alloc(0);
  #isStarted = false;

  constructor(socket: MemorySocket, server: SimulatedPostgres, name: string) {
    this.#socket = socket;
    this.name = name;
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      if (!this.#isStarted) this.#start();
      if (this.#isStarted) server.work(this);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => server.forget(this));
  }

  send(bytes: Buffer): void {
    if (bytes.length > 0 && this.#socket.writable) this.#socket.write(bytes);
  }

  #start(): void {
    if (this.#received.length < 8) return;
    const length = this.#received.readUInt32BE(0);
    if (this.#received.length < length) return;
    const code = this.#received.readUInt32BE(4);
    const body = this.#received.subarray(8, length);
    this.#received = this.#received.subarray(length);
    if (code === PROTOCOL.ssl) {
      this.send(Buffer.from('N'));
      return;
    }
    if (code !== PROTOCOL.startup) {
      this.#socket.destroy();
      return;
    }
    this.settings = settingsOf(body, this.name);
    this.#isStarted = true;
    this.send(
      Buffer.concat([
        message('R', Buffer.from([0, 0, 0, 0])),
        ...Object.entries(PARAMETERS).map(([key, value]) => message('S', Buffer.from(`${key}\0${value}\0`))),
        message('K', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
        message('Z', Buffer.from('I')),
      ]),
    );
  }

  /** The next messages that end with an answer to wait for, with names of this connection; undefined if they are not all there. */
  take(): Buffer | undefined {
    const parts: Buffer[] = [];
    let at = 0;
    while (this.#received.length - at >= 5) {
      const type = String.fromCharCode(this.#received[at] ?? 0);
      const end = at + 1 + this.#received.readUInt32BE(at + 1);
      if (end > this.#received.length) return undefined;
      const body = this.#received.subarray(at + 5, end);
      if (type === 'X') {
        this.#socket.end();
        this.#received = Buffer.alloc(0);
        return undefined;
      }
      parts.push(message(type, this.#renamed(type, body)));
      at = end;
      if (type === 'Q' || type === 'S') {
        this.#received = this.#received.subarray(at);
        return Buffer.concat(parts);
      }
    }
    return undefined;
  }

  /** Prepared statements have the name of their connection, as all are in one session. */
  #renamed(type: string, body: Buffer): Buffer {
    if (type === 'Q' || type === 'P') this.#hear(body);
    if (type === 'P') return this.#named(body, 0);
    if ((type === 'D' || type === 'C') && body[0] === 'S'.charCodeAt(0)) return this.#named(body, 1);
    // The name of the portal comes first.
    if (type === 'B') return this.#named(body, body.indexOf(0) + 1);
    return body;
  }

  #named(body: Buffer, at: number): Buffer {
    if (body[at] === 0) return body;
    return Buffer.concat([body.subarray(0, at), Buffer.from(`${this.name}_`), body.subarray(at)]);
  }

  #hear(body: Buffer): void {
    const [, channel] = /^\s*listen\s+"?([^";\0]+)"?/i.exec(body.toString()) ?? [];
    if (channel !== undefined) this.channels.add(channel.trim());
  }
}

const PARAMETERS = {
  server_version: '18.0',
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
};

/** The settings that a connection asks for when it starts, as a statement. */
function settingsOf(body: Buffer, name: string): string {
  const words = body.toString().split('\0');
  const options = words[words.indexOf('options') + 1] ?? '';
  const found = new Map(
    [...options.matchAll(/-c (\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]),
  );
  const path = (found.get('search_path') ?? 'public').split(',');
  found.set('search_path', [...new Set([path[0] ?? '', SCHEMA, 'pg_catalog', ...path])].join(','));
  const all = [...found, [`${SCHEMA}.connection`, name] as const];
  return `select ${all.map(([key, value]) => `set_config('${key}', '${value}', false)`).join(', ')}`;
}

/** Splits an answer: notifications are for whoever listens. */
function sorted(answer: Buffer): {
  own: Buffer;
  notifications: { channel: string; message: Buffer }[];
  status: number;
} {
  const own: Buffer[] = [];
  const notifications: { channel: string; message: Buffer }[] = [];
  let status = IDLE;
  for (let at = 0; at < answer.length;) {
    const end = at + 1 + answer.readUInt32BE(at + 1);
    const whole = answer.subarray(at, end);
    const type = String.fromCharCode(whole[0] ?? 0);
    if (type === 'A') {
      const [channel = ''] = whole.subarray(9).toString().split('\0');
      notifications.push({ channel, message: whole });
    } else own.push(whole);
    if (type === 'Z') status = whole[5] ?? IDLE;
    at = end;
  }
  return { own: Buffer.concat(own), notifications, status };
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
