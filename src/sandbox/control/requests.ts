import { z } from 'zod';

import { action } from '../interactions/press.ts';

const ts = z.string().regex(/^\d{10}\.\d{6}$/, 'a ts looks like 1700000000.000100');
const emoji = z
  .string()
  .regex(/^:?[a-z0-9_+'-]+(::skin-tone-[2-6])?:?$/, 'the short name of an emoji, e.g. ticket')
  .transform((name) => name.replace(/^:(?=.)|(?<=.):$/g, ''));

/** What somebody typed. No database takes NUL or half a character in a text; both are shown as U+FFFD. */
const words = z.string().transform((text) => text.replaceAll('\0', '\uFFFD').toWellFormed());

/** `channel`: a name (`it-help`), an id, or `@name` for the direct messages with that person or app. */
const place = { channel: z.string().min(1), user: z.string().min(1) };

/** What can be asked of the sandbox as if a person did it; the same in process and over HTTP. */
export const REQUESTS = {
  message: z.object({
    ...place,
    text: words.pipe(z.string().min(1)),
    thread_ts: ts.optional(),
    broadcast: z.boolean().optional(),
  }),
  command: z.object({ ...place, command: z.string().startsWith('/'), text: words.default('') }),
  reaction: z.object({ ...place, ts, name: emoji, present: z.boolean().default(true) }),
  editMessage: z.object({ ...place, ts, text: words.pipe(z.string().min(1)) }),
  deleteMessage: z.object({ ...place, ts }),
  interact: z.object({ ...place, messageTs: ts, action }),
  shortcut: z.object({
    user: z.string().min(1),
    callbackId: z.string().min(1),
    channel: z.string().optional(),
    messageTs: ts.optional(),
  }),
  join: z.object(place),
  /** Opens the direct messages of `user` with somebody. */
  open: z.object({ user: z.string().min(1), with: z.string().min(1) }),
  archive: z.object({ channel: z.string().min(1), archived: z.boolean().default(true) }),
  /** How the app is reached: by its request URL (asked for the challenge first), or by Socket Mode, which wins. */
  app: z
    .object({
      requestUrl: z.url({ protocol: /^https?$/ }).nullable(),
      /** Left out: on where there is no request URL. */
      socketMode: z.boolean().optional(),
    })
    .refine(({ requestUrl, socketMode }) => requestUrl !== null || socketMode !== false, {
      error: 'an app without Socket Mode needs a request URL',
    }),
  disconnect: z.object({
    reason: z.enum(['warning', 'refresh_requested', 'link_disabled', 'cut']),
    connections: z.array(z.string()).optional(),
  }),
} as const;

type Requests = typeof REQUESTS;
export type RequestOf<Name extends keyof Requests> = z.input<Requests[Name]>;
