import type { FastifyPluginAsync } from 'fastify';

import type { Log } from '../../platform/log.ts';
import type { BridgeMetrics } from '../metrics.ts';

/** Chat's front door, whichever way it comes to us: what arrives is stored, then acknowledged (B46). */
export interface ChatReceiver {
  /** Chat can reach us now. */
  readonly connected: boolean;
  /** What the HTTP server has to serve for it. */
  readonly plugin?: FastifyPluginAsync;
  /** Begins to take events. Throws StartError where chat refuses us. */
  start(): Promise<void>;
  /** Takes nothing more, and waits for what is being stored. */
  stop(): Promise<void>;
}

/**
 * Stores an envelope; rejects when it could not, and then chat gets no acknowledgement and sends it again. Resolves to
 * what the acknowledgement says, where chat waits for an answer there.
 */
export type Intake = (body: unknown, retry: Retry) => Promise<Record<string, unknown> | undefined>;

/** What chat says of earlier deliveries: counted and logged, never a reason to skip, as the first may be the lost one. */
export interface Retry {
  attempt: number;
  reason: string | undefined;
}

/** One thing from chat: `type` as Socket Mode names it (`events_api`, `slash_commands`, `interactive`). */
export interface Arrived {
  type: string;
  body: unknown;
  retry: Retry;
}

/** What chat is answered; `body` is what the person sees who typed or clicked. */
export type Taken = { stored: boolean; body: Record<string, unknown> | undefined };

/** What became of an acknowledgement: given, not given on purpose, too late for chat, or cut off on its way. */
export type Acknowledged = 'acked' | 'refused' | 'late' | 'lost';

const TYPES = new Set(['events_api', 'slash_commands', 'interactive']);

/** Begins to time an acknowledgement; what is returned counts its end. */
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

/** What a person sees whose command or click could not even be stored: nothing happened, and they know. */
const NOT_STORED = {
  text: 'This did not reach the help desk (its database is away). Nothing was changed; please try again.',
};

/** Stores what arrived and says how chat is answered. Never throws. */
export async function take(intake: Intake, log: Log, { type, body, retry }: Arrived): Promise<Taken> {
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
