import { z } from 'zod';

import { whenItStrikes } from './rules.ts';

/** A misbehaviour of the Web API, asked for on purpose. */
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
    /** Only calls with a token of this workspace (its id). */
    team: z.string().optional(),
    ...whenItStrikes,
    /** Seconds in `Retry-After`. */
    retryAfter: z.int().min(0).default(1),
    /** What `error` says, in Slack's words. */
    error: z.string().min(1).default('internal_error'),
    /** Of `http_error`. */
    status: z.union([z.literal(500), z.literal(502), z.literal(503)]).default(500),
    /** Of `slow` (1,000 without it) and `hang`, by the sandbox's clock. */
    ms: z.int().min(0).max(600_000).optional(),
    /** Of `http_error`, `html`, `slow` and `hang`: the work is done nevertheless; with `slow`, before the wait. */
    worked: z.boolean().default(false),
  })
  .refine(({ kind, channel }) => kind !== 'refused' || channel === undefined, {
    message: 'refused strikes before the call is read: it cannot tell the channel',
    path: ['channel'],
  });

export type CallFaultRequest = z.input<typeof callFault>;
export type CallFault = z.output<typeof callFault>;
