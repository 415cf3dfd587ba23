import pg from 'pg';

import type { Log } from '../log.ts';
import { backoff } from '../backoff.ts';
import { rescue, showAlive } from './rescue.ts';
import { channelOf, type Runner } from './statements.ts';

/** Detects a dead connection, which otherwise looks like a quiet one. */
const HEARTBEAT_MS = 15_000;
const ANSWER_LIMIT_MS = 5_000;
const RECONNECT_CAP_MS = 5_000;
/** Interval between checks for dead workers; a worker counts as dead at the second check. */
const RESCUE_MS = 3_000;

export interface ListenerOptions {
  connection: pg.ClientConfig;
  schema: string;
  /** This process's name in its claims. */
  worker: string;
  log: Log;
  random: () => number;
  /** A queue has work, after a delay if one is given; `undefined`: any queue may, as notifications may have been missed. */
  onWork: (queue: string | undefined, delayMs?: number) => void;
  /** Further channels of the database, each with what its notifications are for; called too if some may be missed. */
  channels: ReadonlyMap<string, () => void>;
}

/**
 * The one connection outside the pool. It receives notifications of new work and renews leases, which must not wait for
 * a pool that handlers have used up. If lost, it is reopened; meanwhile workers poll.
 */
export class Listener implements Runner {
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  /** The last query, answered or not. */
  #asked: Promise<unknown> = Promise.resolve();
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #rescue: NodeJS.Timeout | undefined;
  #suspects: ReadonlySet<string> = new Set();
  #failures = 0;
  #stopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Resolves after the first attempt, whether or not the database was available. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** False while the connection is lost. */
  get connected(): boolean {
    return this.#client !== undefined;
  }

  async query(config: Parameters<Runner['query']>[0]) {
    if (!this.#client) throw new Error('the listening connection is down');
    return this.#ask(this.#client, config);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#heartbeat);
    clearInterval(this.#rescue);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { connection, schema, worker, log, onWork, channels } = this.#options;
    const client = new pg.Client(connection);
    this.#asked = Promise.resolve();
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('the connection was closed')));
    client.on('notification', ({ channel, payload }) => {
      const notified = channels.get(channel);
      if (notified) notified();
      else {
        const [queue, delay] = (payload ?? '').split('/');
        onWork(queue === '' ? undefined : queue, Number(delay ?? 0));
      }
    });
    try {
      await client.connect();
      for (const channel of [channelOf(schema), ...channels.keys()])
        await this.#ask(client, { text: `listen ${pg.escapeIdentifier(channel)}` });
      await showAlive({ query: (config) => this.#ask(client, config) }, worker);
    } catch (error) {
      this.#drop(client);
      this.#later(error);
      return;
    }
    if (this.#stopped) {
      this.#drop(client);
      return;
    }
    if (this.#failures > 0) log.info({ schema }, 'jobs listen again');
    this.#failures = 0;
    this.#client = client;
    this.#heartbeat = setInterval(() => void this.#beat(client), HEARTBEAT_MS).unref();
    this.#rescue = setInterval(() => void this.#look(), RESCUE_MS).unref();
    void this.#look();
    onWork(undefined);
    for (const notified of channels.values()) notified();
  }

  async #look(): Promise<void> {
    try {
      this.#suspects = await rescue(this, this.#options.worker, this.#suspects);
    } catch {
      // The heartbeat detects a lost connection; until then a lease ends by itself.
    }
  }

  async #beat(client: pg.Client): Promise<void> {
    try {
      await this.#ask(client, { text: 'select 1' });
    } catch (error) {
      this.#lost(client, error);
    }
  }

  /**
   * Runs one query at a time, as the driver requires. Without the time limit a query on a dead connection waits
   * forever, and so would every lease.
   */
  async #ask(client: pg.Client, config: Parameters<Runner['query']>[0]) {
    const limited = { ...config, query_timeout: ANSWER_LIMIT_MS };
    const answer = this.#asked.then(() => client.query<Record<string, unknown>>(limited));
    this.#asked = answer.catch(() => undefined);
    return answer;
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    for (const notified of this.#options.channels.values()) notified();
    clearInterval(this.#heartbeat);
    clearInterval(this.#rescue);
    this.#drop(client);
    this.#later(error);
  }

  #later(error: unknown): void {
    if (this.#stopped) return;
    const { log, random, schema } = this.#options;
    if (this.#failures++ === 0)
      log.warn({ err: error, schema }, 'jobs do not hear of new work; trying again');
    const wait = Math.min(RECONNECT_CAP_MS, backoff(this.#failures, random) / 4);
    this.#retry = setTimeout(() => void this.#connect(), wait);
  }

  #drop(client: pg.Client): void {
    // Not awaited: on a dead connection it never ends.
    client.end().catch(() => undefined);
  }
}
