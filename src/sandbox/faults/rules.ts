import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import type { Outgoing } from '../workspace/workspace.ts';

/** When a fault applies; the same for calls and events. */
export const whenItStrikes = {
  /** How often it applies; null until it is cleared. Default once, or with `seconds` or `probability` until cleared. */
  times: z.int().min(1).nullable().optional(),
  /** How many matches to skip first. */
  after: z.int().min(0).default(0),
  /** The probability of each match; repeatable if the sandbox's randomness is. */
  probability: z.number().gt(0).max(1).default(1),
  /** Ends after this many seconds of the sandbox's clock. */
  seconds: z.number().positive().max(86_400).optional(),
};

interface Striking {
  times?: number | null | undefined;
  after: number;
  probability: number;
  seconds?: number | undefined;
}

/** An active fault, and how often it was applied. */
export type Listed<Rule> = Rule & { id: number; hits: number };

interface Kept<Rule> {
  id: number;
  rule: Rule;
  hits: number;
  let: number;
  times: number;
  until: number;
}

/** The active faults of one sort, each with its own count. The first match applies. */
export class Rules<Rule extends Striking> {
  readonly #clock: Clock;
  readonly #chance: () => number;
  #kept: Kept<Rule>[] = [];
  #count = 0;

  constructor(clock: Clock, chance: () => number) {
    this.#clock = clock;
    this.#chance = chance;
  }

  add(rule: Rule): void {
    const { times, seconds, probability, after } = rule;
    const once = seconds === undefined && probability === 1 ? 1 : Infinity;
    this.#kept.push({
      id: ++this.#count,
      rule,
      hits: 0,
      let: after,
      times: times === undefined ? once : (times ?? Infinity),
      until: seconds === undefined ? Infinity : this.#now() + seconds * 1000,
    });
  }

  clear(): void {
    this.#kept = [];
  }

  list(): Listed<Rule>[] {
    this.#forget();
    return this.#kept.map(({ id, rule, hits }) => ({ ...rule, id, hits }));
  }

  /** Returns the fault that applies to what `fits` accepts, if any. */
  take(fits: (rule: Rule) => boolean): Rule | undefined {
    this.#forget();
    for (const kept of this.#kept) {
      if (!fits(kept.rule)) continue;
      if (kept.let > 0) {
        kept.let -= 1;
        continue;
      }
      if (kept.rule.probability < 1 && this.#chance() >= kept.rule.probability) continue;
      kept.hits += 1;
      this.#forget();
      return kept.rule;
    }
    return undefined;
  }

  #forget(): void {
    const now = this.#now();
    this.#kept = this.#kept.filter(({ hits, times, until }) => hits < times && now < until);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** A fault of the Web API. */
export const callFault = z
  .strictObject({
    /** A Web API method, `response_url` for answers to response addresses, or `*` for all of them. */
    method: z.string().min(1),
    /**
     * `rate_limited`: HTTP 429 with `Retry-After`. `error`: `{ok: false, error}`. `http_error`: an HTML page with
     * `status`. `html`: an HTML page with 200. `slow`: the answer comes after `ms`. `hang`: no answer; cut after `ms`,
     * or when the caller gives up. `refused`: cut before the call's body is taken. `cut`: taken, then cut before
     * anything is done. `answer_lost`: done, then cut. `half_answer`: done, and cut in the middle of the answer.
     */
    kind: z.enum([
      'rate_limited',
      'error',
      'http_error',
      'html',
      'slow',
      'hang',
      'refused',
      'cut',
      'answer_lost',
      'half_answer',
    ]),
    /** Only calls for this channel (its id, as the call has it). */
    channel: z.string().optional(),
    /** Only calls whose `text` contains this. */
    text: z.string().min(1).optional(),
    /** Only calls with a token of this workspace (its id). */
    team: z.string().optional(),
    ...whenItStrikes,
    /** Seconds in `Retry-After`. */
    retryAfter: z.int().min(0).default(1),
    /** The code of `error`. */
    error: z.string().min(1).default('internal_error'),
    /** Of `http_error`. */
    status: z.literal([404, 405, 500, 501, 502, 503]).default(500),
    /** Of `slow` (1,000 without it) and `hang`, by the sandbox's clock. */
    ms: z.int().min(0).max(600_000).optional(),
    /** Of `http_error`, `html`, `slow` and `hang`: the call is executed nevertheless; with `slow`, before the wait. */
    worked: z.boolean().default(false),
  })
  .refine(({ kind, channel, text }) => kind !== 'refused' || (channel === undefined && text === undefined), {
    message: 'refused strikes before the call is read: it cannot tell the channel or the text',
    path: ['kind'],
  });

export type CallFaultRequest = z.input<typeof callFault>;
export type CallFault = z.output<typeof callFault>;

/** A fault of event delivery. */
export const eventFault = z.strictObject({
  /**
   * `duplicate`: `copies` more of it, each with an event id of its own. `delay`: sent after `ms`. `reorder`: it and
   * the next ones, `window` in all, are sent newest first. `ack_lost`: its first `acks` acknowledgements count as not
   * come, so it is sent again. `drop`: never sent. `cut`: the connection it goes out on is cut, at `when`.
   */
  kind: z.enum(['duplicate', 'delay', 'reorder', 'ack_lost', 'drop', 'cut']),
  /** An event's type (`message`, `app_mention`), `slash_commands` or `interactive`; `*` is every event. */
  event: z.string().min(1).default('*'),
  /** Only events of this channel (its id). */
  channel: z.string().optional(),
  /** Only events of this workspace (its id). */
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

/** The type of an envelope, and where it happened. */
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

/** Whether a fault applies to it; `*` means events, because Slack does not repeat commands and clicks. */
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
