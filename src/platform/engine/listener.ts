import pg from 'pg';

import { backoff } from '../backoff.ts';
import type { Timer } from '../timers.ts';
import type { Ground } from './ground.ts';
import { absentProcesses, freeLanes, RESCUE_EVERY_MS, SEEN_ABSENT, showAlive } from './rescue.ts';
import type { EngineTables } from './tables.ts';

/** A connection that does not answer for so long is dead; without queries it would look like a quiet one. */
const ANSWER_LIMIT_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/**
 * The connection on which a process hears of work that others have added. If it is lost it is opened again; meanwhile,
 * and behind it, each class looks for itself.
 */
export class Listener<Tables extends EngineTables> {
  readonly #ground: Ground<Tables>;
  readonly #onWork: (ofClass: string | undefined) => void;
  readonly #channels: ReadonlyMap<string, () => void>;
  #client: pg.Client | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #isStopped = false;

  /**
   * @param onWork called with a class that may have due work; undefined: any may, since some may have been missed.
   * @param channels further ones of the database, each with what is called at a notification, and where some may have
   * been missed: as the connection is lost, and as it is back.
   */
  constructor(
    ground: Ground<Tables>,
    onWork: (ofClass: string | undefined) => void,
    channels: ReadonlyMap<string, () => void>,
  ) {
    this.#ground = ground;
    this.#onWork = onWork;
    this.#channels = channels;
  }

  get isListening(): boolean {
    return this.#client !== undefined;
  }

  /** Resolves after the first try, whether or not the database was there. */
  async start(): Promise<void> {
    const { database, channel, log } = this.#ground;
    const client = new pg.Client({ ...database.connection, query_timeout: ANSWER_LIMIT_MS });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('the connection was closed')));
    client.on('notification', (notification) => {
      if (notification.channel === channel) this.#onWork(notification.payload);
      else this.#channels.get(notification.channel)?.();
    });
    try {
      await client.connect();
      for (const name of [channel, ...this.#channels.keys()])
        await client.query(`listen ${pg.escapeIdentifier(name)}`);
      await showAlive(client, this.#ground.process);
    } catch (error) {
      this.#close(client);
      this.#again(error);
      return;
    }
    if (this.#isStopped) {
      this.#close(client);
      return;
    }
    if (this.#failures > 0) log.info({ channel }, 'hearing of new work again');
    this.#failures = 0;
    this.#client = client;
    this.#onWork(undefined);
    this.#mayHaveMissed();
    void this.#watch(client, new Map());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    const client = this.#client;
    this.#client = undefined;
    if (client) this.#close(client);
  }

  /**
   * Looks for dead processes, again and again; the same look shows that the connection is alive.
   * @param before how many times in a row each process did not show that it is alive.
   */
  async #watch(client: pg.Client, before: ReadonlyMap<string, number>): Promise<void> {
    let absent: ReadonlyMap<string, number>;
    try {
      const now = await absentProcesses(client, this.#ground.process);
      absent = new Map([...now].map((process) => [process, (before.get(process) ?? 0) + 1]));
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    const dead = [...absent].filter(([, times]) => times >= SEEN_ABSENT).map(([process]) => process);
    await freeLanes(this.#ground, dead).catch((error: unknown) =>
      this.#ground.log.debug({ err: error }, 'the lanes of dead processes could not be freed'),
    );
    if (this.#client !== client) return;
    this.#timer = this.#ground.timers.after(RESCUE_EVERY_MS, () => void this.#watch(client, absent));
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#timer?.cancel();
    this.#mayHaveMissed();
    this.#close(client);
    this.#again(error);
  }

  #mayHaveMissed(): void {
    for (const notified of this.#channels.values()) notified();
  }

  #again(error: unknown): void {
    if (this.#isStopped) return;
    const { log, random, channel, timers } = this.#ground;
    if (this.#failures === 0) log.warn({ err: error, channel }, 'not hearing of new work; trying again');
    this.#failures += 1;
    const pause = Math.min(LONGEST_PAUSE_MS, backoff(this.#failures, random));
    this.#timer = timers.after(pause, () => void this.start());
  }

  #close(client: pg.Client): void {
    // Not awaited: on a dead connection it never ends.
    client.end().catch(() => undefined);
  }
}
