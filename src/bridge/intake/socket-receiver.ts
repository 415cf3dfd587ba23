import type { App, Receiver } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import { z } from 'zod';

import type { Log } from '../../platform/log.ts';

/** Stores an envelope; rejects when it could not, and then chat gets no acknowledgement and sends it again. */
export type Intake = (body: unknown, retry: { attempt: number; reason: string | undefined }) => Promise<void>;

const Envelope = z.object({
  type: z.string(),
  body: z.unknown(),
  retry_num: z.number().optional().catch(undefined),
  retry_reason: z.string().optional().catch(undefined),
  ack: z.custom<(response?: unknown) => Promise<void>>((value) => typeof value === 'function'),
});

/** What a person sees whose command or click could not even be stored: nothing happened, and they know. */
const NOT_STORED = {
  text: 'This did not reach the help desk (its database is away). Nothing was changed; please try again.',
};

/**
 * Bolt's front door over Socket Mode that stores first and acknowledges then (B46). Bolt's own receiver acknowledges
 * before any listener runs, so a crash in between would lose the event. Bolt itself gets every event later, from its
 * lane.
 */
export class SocketReceiver implements Receiver {
  readonly #client: SocketModeClient;
  readonly #intake: Intake;
  readonly #log: Log;
  readonly #storing = new Set<Promise<void>>();

  constructor(options: { appToken: string; apiUrl: string | undefined; intake: Intake; log: Log }) {
    this.#intake = options.intake;
    this.#log = options.log;
    this.#client = new SocketModeClient({
      appToken: options.appToken,
      logger: sdkLogger(options.log),
      clientOptions: {
        ...(options.apiUrl ? { slackApiUrl: options.apiUrl } : {}),
        // A workspace that is away comes back: asking for a new connection never ends, and never waits long.
        retryConfig: { forever: true, retries: 10, factor: 1.5, minTimeout: 250, maxTimeout: 5_000 },
      },
    });
    this.#client.on('slack_event', (envelope: unknown) => {
      const work = this.#take(envelope).catch((error: unknown) =>
        this.#log.error({ err: error }, 'an envelope could not be taken'),
      );
      this.#storing.add(work);
      void work.finally(() => this.#storing.delete(work));
    });
  }

  init(_app: App): void {
    // Events reach Bolt through `App.processEvent`, from their lane.
  }

  get connected(): boolean {
    return this.#client.websocket?.isActive() ?? false;
  }

  async start(): Promise<void> {
    await this.#client.start();
  }

  /** Closes the connection and waits for what is being stored. */
  async stop(): Promise<void> {
    await this.#client.disconnect();
    await Promise.allSettled(this.#storing);
  }

  async #take(raw: unknown): Promise<void> {
    const parsed = Envelope.safeParse(raw);
    if (!parsed.success) {
      this.#log.warn({ event: 'envelope.unreadable' }, 'an envelope of unknown shape was passed over');
      return;
    }
    const { type, body, retry_num: attempt = 0, retry_reason: reason, ack } = parsed.data;
    try {
      await this.#intake(body, { attempt, reason });
    } catch (error) {
      this.#log.error(
        { err: error, event: 'envelope.not_stored', type },
        'an envelope could not be stored and is not acknowledged',
      );
      if (type === 'slash_commands') await this.#acknowledge(ack, NOT_STORED);
      return;
    }
    await this.#acknowledge(ack, undefined);
  }

  /** A connection that closed meanwhile cannot take the acknowledgement: chat sends the event again, and it is known. */
  async #acknowledge(ack: (response?: unknown) => Promise<void>, response: unknown): Promise<void> {
    try {
      await ack(response);
    } catch (error) {
      this.#log.info({ err: error, event: 'envelope.ack_lost' }, 'an acknowledgement was lost');
    }
  }
}

/** The SDK's log lines as ours; its debug level writes message text and is left out. */
function sdkLogger(log: Log) {
  const say =
    (level: 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      log[level]({ from: 'slack-sdk' }, parts.map(String).join(' '));
  const level = 'info';
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: say('warn'),
    error: say('error'),
    setLevel: () => undefined,
    getLevel: () => level as never,
    setName: () => undefined,
  };
}
