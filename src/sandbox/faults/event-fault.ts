import { z } from 'zod';

import type { Outgoing } from '../workspace/workspace.ts';
import { whenItStrikes } from './rules.ts';

/** A misbehaviour of event delivery, asked for on purpose. */
export const eventFault = z.strictObject({
  /**
   * `duplicate`: `copies` more of it, each with an event id of its own. `delay`: sent after `ms`. `reorder`: it and
   * the next ones, `window` in all, are sent newest first. `ack_lost`: its first `acks` acknowledgements count as not
   * come, so it is sent again. `drop`: never sent. `cut`: the connection it goes out on is cut, at `when`.
   */
  kind: z.enum(['duplicate', 'delay', 'reorder', 'ack_lost', 'drop', 'cut']),
  /** An event's type (`message`, `app_mention`), `slash_commands` or `interactive`; `*` is every event. */
  event: z.string().min(1).default('*'),
  /** Only what happens in this channel (its id). */
  channel: z.string().optional(),
  /** Only what happens in this workspace (its id). */
  team: z.string().optional(),
  ...whenItStrikes,
  /** Of `duplicate`; eleven is what was seen of Slack. */
  copies: z.int().min(1).max(11).default(1),
  /** Of `duplicate`: milliseconds between one copy and the next; 0 sends them with the first. */
  every: z.int().min(0).max(3_600_000).default(0),
  /** Of `delay`; of `reorder` the longest that one is kept for the window to fill. By the sandbox's clock. */
  ms: z.int().min(0).max(3_600_000).default(1_000),
  /** Of `reorder`. */
  window: z.int().min(2).max(50).default(2),
  /** Of `ack_lost`; Slack gives up after the fourth. */
  acks: z.int().min(1).max(4).default(1),
  /**
   * Of `cut`: `sent`: as soon as it is sent. `before_ack`: when its acknowledgement comes, which is lost with the
   * connection. `after_ack`: when its acknowledgement is taken.
   */
  when: z.enum(['sent', 'before_ack', 'after_ack']).default('sent'),
});

export type EventFaultRequest = z.input<typeof eventFault>;
export type EventFault = z.output<typeof eventFault>;

/** What kind of thing an envelope tells, and where it happened. */
export function subjectOf({ kind, body }: Pick<Outgoing, 'kind' | 'body'>): {
  event: string;
  channel?: string;
} {
  if (kind !== 'events_api') return withChannel(kind, body['channel_id'] ?? idOf(body['channel']));
  const event = objectOf(body['event']);
  const item = objectOf(event['item']);
  const type = typeof event['type'] === 'string' ? event['type'] : kind;
  return withChannel(type, event['channel'] ?? event['channel_id'] ?? item['channel']);
}

/** Whether a fault is meant for it; `*` means events, since what a person waits for is not repeated by Slack. */
export function strikes(fault: EventFault, envelope: Pick<Outgoing, 'kind' | 'body'>): boolean {
  const { event, channel } = subjectOf(envelope);
  const named = fault.event === '*' ? envelope.kind === 'events_api' : fault.event === event;
  const here = fault.team === undefined || fault.team === teamIn(envelope.body);
  return named && here && (fault.channel === undefined || fault.channel === channel);
}

/** The workspace whose app an envelope is for; in a channel shared with others it may tell of another one. */
export function teamIn(body: Record<string, unknown>): string | undefined {
  const authorizations = body['authorizations'];
  const authorization: unknown = Array.isArray(authorizations) ? authorizations[0] : undefined;
  const team =
    objectOf(authorization)['team_id'] ?? objectOf(body['view'])['app_installed_team_id'] ?? body['team_id'];
  return typeof team === 'string' ? team : idOf(body['team']);
}

function withChannel(event: string, channel: unknown): { event: string; channel?: string } {
  const id = typeof channel === 'string' ? channel : idOf(channel);
  return { event, ...(id === undefined ? {} : { channel: id }) };
}

function idOf(value: unknown): string | undefined {
  const { id } = objectOf(value);
  return typeof id === 'string' ? id : undefined;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
