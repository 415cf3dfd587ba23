import type { Receiver } from '@slack/bolt';
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';

import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';

/**
 * Bolt's receiver, for either transport: stores what arrives, then acknowledges it (B46). The engine hands it to the
 * app (`App.processEvent`) from there, so a receiver needs none; several workspaces share one.
 */
export interface ChatReceiver extends Receiver {
  /** Whether Slack can reach us now. */
  readonly connected: boolean;
  /** The routes to serve for it, if any. */
  readonly plugin?: FastifyPluginAsync;
  /** Starts to receive events. Throws StartError if Slack rejects us. */
  start(): Promise<void>;
  /** Stops receiving, and waits for what is being stored. */
  stop(): Promise<void>;
}

/** The parts that both receivers need. */
export interface ReceiverParts {
  intake: Intake;
  /** Called when events arrive again after a loss: Slack may have given up on some. */
  reconnected: () => void;
  log: Log;
  metrics: BridgeMetrics;
}

/**
 * Stores an envelope; rejects if it cannot, and then Slack gets no acknowledgement and resends it. Resolves to the body
 * of the acknowledgement, if Slack expects one.
 */
export type Intake = (body: unknown, retry: Retry) => Promise<Record<string, unknown> | undefined>;

/**
 * Slack's information on earlier deliveries: counted and logged, never a reason to skip, because the first may have
 * been lost.
 */
export interface Retry {
  attempt: number;
  reason: string | undefined;
}

/** One envelope; `type` as in Socket Mode (`events_api`, `slash_commands`, `interactive`). */
export interface Arrived {
  type: string;
  body: unknown;
  retry: Retry;
}

/** The response to Slack; `body` is shown to the user who typed or clicked. */
export type Taken = { stored: boolean; body: Record<string, unknown> | undefined };

/** The outcome of an acknowledgement: sent, withheld on purpose, too late, or cut off. */
export type Acknowledged = 'acked' | 'refused' | 'late' | 'lost';

/** The largest envelope that is read; Slack's own are far smaller. */
export const ENVELOPE_BYTES = 2 * 1024 * 1024;

const TYPES = new Set(['events_api', 'slash_commands', 'interactive']);

/** Starts to time an acknowledgement; the returned function records its outcome. */
export function timeAck(
  { acks, ackSeconds }: Pick<BridgeMetrics, 'acks' | 'ackSeconds'>,
  sent: string,
): (outcome: Acknowledged) => void {
  const type = TYPES.has(sent) ? sent : 'other';
  const end = ackSeconds.startTimer({ type });
  return (outcome) => {
    if (outcome === 'acked') end();
    acks.inc({ type, outcome });
  };
}

/** Shown to a user whose command or click could not be stored. */
const NOT_STORED = {
  text: 'The help desk’s database is unavailable, so nothing changed. Try again.',
};

/** Stores an envelope and returns the response to Slack. Never throws. */
export async function acceptEnvelope(
  intake: Intake,
  log: Log,
  { type, body, retry }: Arrived,
): Promise<Taken> {
  try {
    return { stored: true, body: await intake(body, retry) };
  } catch (error) {
    log.error(
      { err: error, event: 'envelope.not_stored', type },
      'an envelope could not be stored and is not acknowledged',
    );
    return { stored: false, body: type === 'slash_commands' ? NOT_STORED : undefined };
  }
}

const Typed = z.object({ type: z.string() });
const Keys = z.record(z.string(), z.unknown()).transform((body) => Object.keys(body).slice(0, 20));

/** The notice that Slack dropped events (https://docs.slack.dev/reference/events/app_rate_limited). */
export const EventsLimited = z.object({
  type: z.literal('app_rate_limited'),
  /** The minute from which on, in Unix seconds. */
  minute_rate_limited: z.number().optional().catch(undefined),
});

/** Returns the type and field names of an unreadable body, for the log: its values may be message text. */
export function shapeOf(body: unknown): { type: string | undefined; keys: string[] } {
  const typed = Typed.safeParse(body);
  const keys = Keys.safeParse(body);
  return { type: typed.success ? typed.data.type : undefined, keys: keys.success ? keys.data : [] };
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
