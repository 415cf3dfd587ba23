import { z } from 'zod';

import { redirectUrl } from '../seed.ts';
import { place, ts, words } from './fields.ts';

/** What can be asked of the sandbox as if a person did it; the same in process and over HTTP. */
export const REQUESTS = {
  command: z.object({ ...place, command: z.string().startsWith('/'), text: words.default('') }),
  shortcut: z.object({
    user: z.string().min(1),
    callbackId: z.string().min(1),
    channel: z.string().optional(),
    messageTs: ts.optional(),
  }),
  /** How the app is reached: by its request URL (asked for the challenge first), or by Socket Mode, which wins. */
  app: z
    .object({
      requestUrl: z
        .url({ protocol: /^https?$/ })
        .nullable()
        .optional(),
      /** Left out: on where there is no request URL. */
      socketMode: z.boolean().optional(),
      /** Where people may be sent back to after they installed it; what was there is replaced. */
      redirectUrls: z.array(redirectUrl).optional(),
      /** Events of a workspace that it is told within an hour, for loads that Slack's own limit would cut off. */
      eventsPerHour: z.int().min(1).optional(),
    })
    .refine(({ requestUrl, socketMode }) => (requestUrl ?? undefined) !== undefined || socketMode !== false, {
      error: 'an app without Socket Mode needs a request URL',
    })
    .refine(
      (app) => [app.requestUrl, app.redirectUrls, app.eventsPerHour].some((value) => value !== undefined),
      { error: 'say a request URL (or null), redirect URLs or events an hour' },
    ),
  disconnect: z.object({
    reason: z.enum(['warning', 'refresh_requested', 'link_disabled', 'cut']),
    connections: z.array(z.string()).optional(),
  }),
} as const;

type Requests = typeof REQUESTS;
export type RequestOf<Name extends keyof Requests> = z.input<Requests[Name]>;
