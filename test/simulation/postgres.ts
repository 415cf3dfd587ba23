import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';

import { Image } from './image.ts';
import type { MemorySocket, Network } from './network.ts';
import type { Program } from './program.ts';

const EXTENSIONS = { pg_trgm, btree_gin };
/** In this schema are functions that take the place of Postgres' own ones: found before those, after the program's. */
const SCHEMA = 'simulation';

/**
 * Session locks, which the one session of PGlite would always get: who holds one is a row, and a connection's rows go
 * with it. Locks of transactions are free, as one transaction runs at a time.
 */
const SESSION_LOCKS = `
  create schema ${SCHEMA};
  create table ${SCHEMA}.session_lock (connection text not null, key bigint not null);
  create function ${SCHEMA}.pg_advisory_lock_shared(bigint) returns void language sql as $$
    insert into ${SCHEMA}.session_lock values (current_setting('${SCHEMA}.connection'), $1) $$;
  create function ${SCHEMA}.pg_try_advisory_xact_lock(bigint) returns boolean language sql as $$
    select not exists (
      select from ${SCHEMA}.session_lock
      where key = $1 and connection <> current_setting('${SCHEMA}.connection')) $$;`;

/** Postgres takes the randomness of ids from a place of its own, which no seed reaches. */
const RANDOM_IDS = `
  create function ${SCHEMA}.gen_random_uuid() returns uuid language sql as $$
    select md5(random()::text || random()::text)::uuid $$;`;

/** Nothing here outlives the process, and planning takes far longer than running. */
const FAST = 'set synchronous_commit = off; set jit = off; set plan_cache_mode = force_generic_plan';

const PROTOCOL = { startup: 196_608, ssl: 80_877_103, cancel: 80_877_102 };
const IDLE = 'I'.charCodeAt(0);
const STATEMENT = 'S'.charCodeAt(0);
/** An answer's row. */
const ROW = 'D';
/** The answer that a statement is prepared. */
const PARSED = Buffer.from([0x31, 0, 0, 0, 4]);

/** What a database begins with. */
export interface Beginning {
  image: Image;
  /** The names of the statements that are prepared. */
  statements: ReadonlyMap<string, string>;
}

/** How a call fails: its connection is cut before it does anything, or before its answer goes out. */
export type Failure = 'refused' | 'answer lost';

/**
 * A Postgres for the programs of a simulation: PGlite, at a port of the simulated network. PGlite has one session; each
 * connection has its own settings, notifications and session locks here, and a transaction lets the others wait until
 * it ends. So waiting for locks, deadlocks and what two transactions see of each other are not simulated. A statement
 * is prepared once, for all connections.
 */
export class SimulatedPostgres {
  readonly #lite: PGlite;
  readonly #connections = new Set<Connection>();
  /** The connection whose transaction has begun. */
  #owner: Connection | undefined;
  #waiting: Connection[] = [];
  /** The settings that the session has now: those of one of the connections. */
  #settings = '';
  #count = 0;
  /** The names of prepared statements, by their text and the types of their parameters. */
  readonly #statements: Map<string, string>;
  #isClosed = false;
  readonly port: number;
  /** Asked at each call whether it fails. */
  failing: () => Failure | undefined = () => undefined;
  #afterTransaction: ((program: Program) => void)[] = [];

  private constructor(lite: PGlite, network: Network, statements: ReadonlyMap<string, string>) {
    this.#lite = lite;
    this.#statements = new Map(statements);
    this.port = network.listen(0, (socket) => {
      this.#connections.add(new Connection(socket, this, `c${this.#count++}`));
    });
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /**
   * Opens a database: an empty one, or one that others were before. Of these, one is open at a time.
   * @param seed of the randomness of its functions, from 0 up to 1.
   */
  static async open(network: Network, seed: number, beginning?: Beginning): Promise<SimulatedPostgres> {
    const lite = beginning?.image.lite ?? (await openEmpty());
    await beginning?.image.restore();
    await lite.exec(`select setseed(${seed})`);
    return new SimulatedPostgres(lite, network, beginning?.statements ?? new Map());
  }

  /** What others may begin with; while no program is connected. It is closed. */
  async keep(): Promise<Beginning> {
    this.close();
    return { image: await Image.of(this.#lite), statements: this.#statements };
  }

  /** From now on it does nothing. */
  close(): void {
    this.#isClosed = true;
  }

  /** Calls back once, as soon as a transaction of some program has ended, before that knows. */
  afterTransaction(run: (program: Program) => void): void {
    this.#afterTransaction.push(run);
  }

  /** Runs statements of the simulation itself; false if a transaction of a program is open, which they would belong to. */
  run(sql: string): boolean {
    if (this.#owner) return false;
    this.#quietly(sql);
    return true;
  }

  /** Whether a query of the simulation itself finds anything; not while a transaction of a program is open. */
  finds(query: string): boolean {
    if (this.#owner || this.#isClosed) return false;
    return typesIn(this.#answerTo(message('Q', Buffer.from(`${query}\0`)))).includes(ROW);
  }

  /** Runs what connections wait for, as far as no transaction of another one is open. */
  work(connection: Connection): void {
    if (this.#isClosed) return;
    if (!this.#waiting.includes(connection)) this.#waiting.push(connection);
    while (this.#waiting.length > 0) {
      const next = this.#waiting.find((each) =>
        this.#owner ? each === this.#owner : !each.program?.standsUntil,
      );
      if (!next) return;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      for (let unit = next.take(); unit; unit = next.take()) {
        const failure = this.failing();
        const answer = failure === 'refused' ? undefined : this.#exec(next, unit);
        if (failure !== undefined || !answer) {
          next.cut();
          break;
        }
        next.send(answer);
        if (this.#owner && this.#owner !== next) break;
        if (next.program?.standsUntil) {
          this.#waiting.push(next);
          break;
        }
      }
    }
  }

  /** Takes up what a program had asked for before it stood still: it could have held up all others. */
  goOn(): void {
    const [next] = this.#waiting;
    if (next) this.work(next);
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
      this.goOn();
    };
    if (this.#owner) this.#owner.afterTransaction.push(clean);
    else clean();
  }

  /** The name under which a statement is prepared for all connections, and whether it is already. */
  statement(key: string): { name: string; isPrepared: boolean } {
    const known = this.#statements.get(key);
    return known === undefined
      ? { name: `s${this.#statements.size}`, isPrepared: false }
      : { name: known, isPrepared: true };
  }

  #exec(connection: Connection, { bytes, prepares, isPrepared, asksForLocks }: Unit): Buffer {
    if (this.#settings !== connection.settings) {
      this.#quietly(connection.settings);
      this.#settings = connection.settings;
    }
    if (asksForLocks) this.#quietly(`set ${SCHEMA}.connection = '${connection.name}'`);
    const answer = this.#answerTo(bytes);
    if (prepares && answer[0] === PARSED[0]) this.#statements.set(prepares.key, prepares.name);
    const { own, notifications, status } = sorted(isPrepared ? Buffer.concat([PARSED, answer]) : answer);
    const hasEnded = this.#owner === connection && status === IDLE;
    this.#owner = status === IDLE ? undefined : connection;
    const { program } = connection;
    if (hasEnded && program) for (const run of this.#afterTransaction.splice(0)) run(program);
    for (const { channel, message } of notifications)
      for (const each of this.#connections) if (each.channels.has(channel)) each.send(message);
    if (!this.#owner) for (const run of connection.afterTransaction.splice(0)) run();
    return own;
  }

  #quietly(sql: string): void {
    if (!this.#isClosed) this.#answerTo(message('Q', Buffer.from(`${sql}\0`)));
  }

  /** PGlite's own way to answer at once parses it all besides. */
  #answerTo(bytes: Buffer): Buffer {
    const pieces: Buffer[] = [];
    const onRawData = (piece: Uint8Array) => void pieces.push(Buffer.from(piece));
    // All of it comes before this returns.
    void this.#lite.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
    return Buffer.concat(pieces);
  }
}

/** The contents of an empty one, which take long to make. */
let empty: Blob | undefined;

async function openEmpty(): Promise<PGlite> {
  const lite = await PGlite.create({ extensions: EXTENSIONS, ...(empty && { loadDataDir: empty }) });
  empty ??= await lite.dumpDataDir('none');
  await lite.exec(SESSION_LOCKS + RANDOM_IDS);
  await lite.exec(FAST);
  return lite;
}

/** Messages that end with an answer to wait for, as PGlite gets them. */
interface Unit {
  bytes: Buffer;
  /** The statement that they prepare for all connections. */
  prepares?: { key: string; name: string } | undefined;
  /** The statement was prepared before: they do so no more, but the answer says that they did. */
  isPrepared: boolean;
  asksForLocks: boolean;
}

/** One connection of a program. */
class Connection {
  readonly name: string;
  readonly #socket: MemorySocket;
  readonly #server: SimulatedPostgres;
  /** The statements that this connection has prepared, by its own names for them. */
  readonly #statements = new Map<string, { name: string; asksForLocks: boolean }>();
  readonly channels = new Set<string>();
  readonly afterTransaction: (() => void)[] = [];
  settings = '';
  #received = Buffer.alloc(0);
  #isStarted = false;

  constructor(socket: MemorySocket, server: SimulatedPostgres, name: string) {
    this.#socket = socket;
    this.#server = server;
    this.name = name;
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      if (!this.#isStarted) this.#start();
      if (this.#isStarted) server.work(this);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => server.forget(this));
  }

  /** Whose connection it is. */
  get program(): Program | undefined {
    return this.#socket.peerProgram;
  }

  cut(): void {
    this.#received = Buffer.alloc(0);
    this.#socket.cut();
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
    this.settings = settingsOf(body);
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

  /** The next messages that end with an answer to wait for; undefined if they are not all there. */
  take(): Unit | undefined {
    const parts: Buffer[] = [];
    const unit: Omit<Unit, 'bytes'> = { isPrepared: false, asksForLocks: false };
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
      const part = this.#common(type, body, unit);
      if (part) parts.push(message(type, part));
      at = end;
      if (type === 'Q' || type === 'S') {
        this.#received = this.#received.subarray(at);
        return { ...unit, bytes: Buffer.concat(parts) };
      }
    }
    return undefined;
  }

  /** A message with the common name of its statement; undefined if it prepares one that is prepared. */
  #common(type: string, body: Buffer, unit: Omit<Unit, 'bytes'>): Buffer | undefined {
    switch (type) {
      case 'Q':
        this.#hear(body);
        unit.asksForLocks = body.includes('advisory');
        return body;
      case 'P': {
        const own = textAt(body, 0);
        const rest = body.subarray(body.indexOf(0) + 1);
        this.#hear(rest);
        const key = rest.toString('latin1');
        const { name, isPrepared } = this.#server.statement(key);
        this.#statements.set(own, { name, asksForLocks: key.includes('advisory') });
        if (isPrepared) {
          unit.isPrepared = true;
          return undefined;
        }
        unit.prepares = { key, name };
        return Buffer.concat([Buffer.from(`${name}\0`), rest]);
      }
      // The name of the portal comes first.
      case 'B':
        return this.#named(body, body.indexOf(0) + 1, unit);
      case 'D':
        return body[0] === STATEMENT ? this.#named(body, 1, unit) : body;
      case 'C':
        if (body[0] === STATEMENT) throw new Error('a prepared statement is closed, which is not simulated');
        return body;
      default:
        return body;
    }
  }

  #named(body: Buffer, at: number, unit: Omit<Unit, 'bytes'>): Buffer {
    const statement = this.#statements.get(textAt(body, at));
    if (!statement) throw new Error('a statement is not prepared');
    unit.asksForLocks ||= statement.asksForLocks;
    return Buffer.concat([
      body.subarray(0, at),
      Buffer.from(statement.name),
      body.subarray(body.indexOf(0, at)),
    ]);
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
function settingsOf(body: Buffer): string {
  const words = body.toString().split('\0');
  const options = words[words.indexOf('options') + 1] ?? '';
  const found = new Map(
    [...options.matchAll(/-c (\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]),
  );
  const path = (found.get('search_path') ?? 'public').split(',');
  found.set('search_path', [...new Set([path[0] ?? '', SCHEMA, 'pg_catalog', ...path])].join(','));
  return `select ${[...found].map(([key, value]) => `set_config('${key}', '${value}', false)`).join(', ')}`;
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

/** The types of the messages of an answer. */
function typesIn(answer: Buffer): string[] {
  const types: string[] = [];
  for (let at = 0; at < answer.length; at += 1 + answer.readUInt32BE(at + 1))
    types.push(String.fromCharCode(answer[at] ?? 0));
  return types;
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The text that begins there and ends with a zero byte. */
const textAt = (body: Buffer, at: number): string => body.toString('latin1', at, body.indexOf(0, at));
