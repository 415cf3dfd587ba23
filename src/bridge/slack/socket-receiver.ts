import { SocketModeClient } from '@slack/socket-mode';
import { z } from 'zod';
import { setTimeout as wait } from 'node:timers/promises';
import { WebAPIPlatformError } from '@slack/web-api';

import { parseEventJson } from '../../platform/bounded-json.ts';
import { inTime } from '../../platform/in-time.ts';
import { StartError } from '../../platform/lifecycle.ts';
import { linesOf, sdkLogger } from './client.ts';
import { REFUSED_TOKEN, unreachedBecause } from './errors.ts';
import {
  type Acknowledged,
  type Arrived,
  type ChatReceiver,
  ENVELOPE_BYTES,
  type ReceiverParts,
  acceptEnvelope,
  type Taken,
  timeAck,
  shapeOf,
} from './receiver.ts';

/** An event envelope as the client expects it, or any other envelope. */
const Known = z.union([
  z.object({ type: z.literal('events_api'), payload: z.object({ event: z.object({ type: z.string() }) }) }),
  z.object({ type: z.string() }).refine(({ type }) => type !== 'events_api'),
]);
const RawEnvelope = z.object({ envelope_id: z.string(), payload: z.unknown() });

/**
 * Bolt's Socket Mode client, without its crash: on an Events API envelope without an event (such as `app_rate_limited`:
 * https://docs.slack.dev/reference/events/app_rate_limited) it throws where nothing can catch it, which ends the
 * process.
 */
class SturdySocketClient extends SocketModeClient {
  /** Called with the payload of an envelope without an event, once it is acknowledged. */
  onUnreadable: (payload: unknown) => void = () => undefined;

  /** Called with the bytes of a text that was not read: it has more than any envelope may, or is not JSON. */
  onRefused: (bytes: number) => void = () => undefined;

  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    if (isBinary) return super.onWebSocketMessage(data, isBinary);
    const bytes = Buffer.from(typeof data === 'string' ? data : new Uint8Array(data));
    const message = bytes.length > ENVELOPE_BYTES ? undefined : parseEventJson(bytes);
    if (message === undefined) {
      this.onRefused(bytes.length);
      return;
    }
    if (Known.safeParse(message).success) return super.onWebSocketMessage(data, isBinary);
    const envelope = RawEnvelope.safeParse(message);
    if (envelope.success)
      this.websocket?.send(JSON.stringify({ envelope_id: envelope.data.envelope_id }), () => undefined);
    this.onUnreadable(envelope.success ? envelope.data.payload : message);
  }
}

const Envelope = z.object({
  type: z.string(),
  body: z.unknown(),
  retry_num: z.number().optional().catch(undefined),
  retry_reason: z.string().optional().catch(undefined),
  ack: z.custom<(response?: unknown) => Promise<void>>((value) => typeof value === 'function'),
});

const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** Failures after which an outage is logged again: about five minutes. */
const SAY_EVERY = 60;

/**
 * Bolt's receiver for Socket Mode, which stores first and acknowledges then (B46). Bolt's own receiver acknowledges
 * before any listener runs, so a crash in between would lose the event. Bolt itself gets every event later, from its
 * work.
 */
export class SocketReceiver implements ChatReceiver {
  readonly #client: SturdySocketClient;
  readonly #parts: ReceiverParts;
  readonly #storing = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReceiverParts & { appToken: string; apiUrl: string | undefined }) {
    this.#parts = options;
    this.#client = new SturdySocketClient({
      appToken: options.appToken,
      logger: sdkLogger(linesOf(options.log)),
      // We reconnect ourselves: the SDK's own way ends the process if Slack rejects us, and never ends while Slack is
      // unavailable.
      autoReconnectEnabled: false,
      clientOptions: {
        ...(options.apiUrl ? { slackApiUrl: options.apiUrl } : {}),
        retryConfig: { retries: 0 },
        timeout: CONNECT_TIMEOUT_MS,
      },
    });
    // A notice of Slack (`app_rate_limited`): already acknowledged, and never resent.
    this.#client.onUnreadable = (body) =>
      this.#keep(this.#store({ type: 'events_api', body, retry: { attempt: 0, reason: undefined } }));
    // Its id is unknown: Slack resends it some times and gives up, as after a refused request.
    this.#client.onRefused = (bytes) =>
      this.#parts.log.warn(
        { event: 'envelope.refused', bytes },
        'what Slack sent has more than any envelope may, or is not JSON; it is not acknowledged',
      );
    this.#client.on('slack_event', (envelope: unknown) => {
      // Not accepted during shutdown: Slack resends it to the next connection.
      if (!this.#isStopping()) this.#keep(this.#take(envelope));
    });
  }

  /** Awaited at shutdown. */
  #keep(taking: Promise<unknown>): void {
    const work = taking.catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'an envelope could not be handled'),
    );
    this.#storing.add(work);
    void work.finally(() => this.#storing.delete(work));
  }

  #store(arrived: Arrived): Promise<Taken> {
    return acceptEnvelope(this.#parts.intake, this.#parts.log, arrived);
  }

  get connected(): boolean {
    return this.#client.websocket?.isActive() ?? false;
  }

  init(): void {
    // The engine hands the envelopes to the app.
  }

  /**
   * Resolves after the first attempt to connect; keeps trying.
   * @throws StartError if Slack rejects the app token.
   */
  async start(): Promise<void> {
    const first = Promise.withResolvers<undefined>();
    this.#running = this.#stayConnected(first.resolve);
    this.#running.catch(first.reject);
    await first.promise;
  }

  /** Waits for what is being stored, whose acknowledgement needs the connection, and closes it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await inTime(CLOSE_TIMEOUT_MS, Promise.allSettled(this.#storing));
    // A closed socket never emits the event.
    await inTime(CLOSE_TIMEOUT_MS, this.#client.disconnect()).catch(() => undefined);
    await inTime(CLOSE_TIMEOUT_MS, this.#running).catch(() => undefined);
    await Promise.allSettled(this.#storing);
  }

  async #stayConnected(tried: (value: undefined) => void): Promise<void> {
    let wasConnected = false;
    let failures = 0;
    while (!this.#isStopping()) {
      try {
        await this.#client.start();
        tried(undefined);
        if (wasConnected) this.#parts.reconnected();
        wasConnected = true;
        failures = 0;
        this.#parts.log.info({ event: 'chat.connected' }, 'connected to chat');
        await this.#disconnected();
      } catch (error) {
        if (this.#isStopping()) return;
        // At the start an admin is there to fix the token; later everything else continues meanwhile.
        if (!wasConnected && isRefused(error))
          throw new StartError(
            `Slack refuses SLACK_APP_TOKEN (${error.data.error}). Make one under Basic Information → App-Level Tokens with the scope connections:write.`,
            { cause: error },
          );
        tried(undefined);
        failures += 1;
        const reason = unreachedBecause(error);
        if (failures === 1 || failures % SAY_EVERY === 0)
          this.#parts.log.warn(
            { event: 'chat.unreachable', reason, failures },
            `Cannot connect to Slack (${reason}). Trying again.`,
          );
        const pause = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
        await wait(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      }
    }
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #disconnected(): Promise<void> {
    const ended = Promise.withResolvers<undefined>();
    const end = () => ended.resolve(undefined);
    this.#client.once('disconnected', end);
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    await ended.promise;
    this.#client.removeListener('disconnected', end);
    this.#stopping.signal.removeEventListener('abort', end);
    if (!this.#isStopping())
      this.#parts.log.info({ event: 'chat.disconnected' }, 'the connection to chat ended; reconnecting');
  }

  async #take(raw: unknown): Promise<void> {
    const parsed = Envelope.safeParse(raw);
    if (!parsed.success) {
      this.#parts.log.warn(
        { event: 'envelope.unreadable', ...shapeOf(raw) },
        'an envelope of unknown shape was ignored',
      );
      return;
    }
    const { type, body, retry_num: attempt = 0, retry_reason: reason, ack } = parsed.data;
    const ended = timeAck(this.#parts.metrics, type);
    const taken = await this.#store({ type, body, retry: { attempt, reason } });
    ended(taken.stored || taken.body ? await this.#acknowledge(ack, taken.body) : 'refused');
  }

  /**
   * A connection that closed meanwhile cannot send the acknowledgement: Slack resends the event, which is then
   * recognised.
   */
  async #acknowledge(ack: (response?: unknown) => Promise<void>, response: unknown): Promise<Acknowledged> {
    try {
      await ack(response);
      return 'acked';
    } catch (error) {
      this.#parts.log.info({ err: error, event: 'envelope.ack_lost' }, 'an acknowledgement was lost');
      return 'lost';
    }
  }
}

function isRefused(error: unknown): error is WebAPIPlatformError {
  return error instanceof WebAPIPlatformError && REFUSED_TOKEN.has(error.data.error);
}
