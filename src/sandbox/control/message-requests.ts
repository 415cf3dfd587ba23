import { z } from 'zod';

import { foreignTeam, place, said, someone, ts } from './fields.ts';

const emoji = z
  .string()
  .regex(/^:?[a-z0-9_+'-]+(::skin-tone-[2-6])?:?$/, 'the short name of an emoji, e.g. ticket')
  .transform((name) => name.replace(/^:(?=.)|(?<=.):$/g, ''));

/** What people do with messages. */
export const MESSAGE_REQUESTS = {
  message: z.object({
    ...place,
    text: said,
    thread_ts: ts.optional(),
    broadcast: z.boolean().optional(),
    /** Also invites whom the message mentions and who is not in the channel. */
    invite: z.boolean().optional(),
  }),
  /** Writes without sending. */
  draft: z.object({ user: someone, text: said }),
  meMessage: z.object({ ...place, text: said }),
  reaction: z.object({ ...place, ts, name: emoji, present: z.boolean().default(true) }),
  editMessage: z.object({ ...place, ts, text: said }),
  deleteMessage: z.object({ ...place, ts }),
  pin: z.object({ ...place, ts, present: z.boolean().default(true) }),
  huddle: z.object(place),
  /** A post of another app, which is not connected here. */
  botMessage: z.object({
    channel: z.string().min(1),
    bot: z.string().min(1).default('Other bot'),
    text: said,
    blocks: z.array(z.unknown()).optional(),
    /** A name of its own: the post is a `bot_message` without `user`. */
    username: z.string().min(1).optional(),
    thread_ts: ts.optional(),
  }),
  /** What Slack does to messages by itself; what is left out stays. */
  noise: z.strictObject({
    unfurls: z.boolean().optional(),
    languageDetection: z.boolean().optional(),
    unfurlDomains: z.array(z.string().min(1).toLowerCase()).optional(),
  }),
} as const;

/** What people do with channels. */
export const CHANNEL_REQUESTS = {
  join: z.object(place),
  leave: z.object(place),
  /** `user` brings `member` in, or puts them out. */
  invite: z.object({ ...place, member: someone }),
  kick: z.object({ ...place, member: someone }),
  /** Opens the direct messages of `user` with somebody, or with several. */
  open: z.object({ user: someone, with: z.union([someone, z.array(someone).min(1).max(8)]) }),
  createChannel: z.object({
    user: someone,
    name: z.string(),
    private: z.boolean().default(false),
    members: z.array(someone).default([]),
  }),
  rename: z.object({ ...place, name: z.string() }),
  topic: z.object({ ...place, topic: z.string().max(250) }),
  purpose: z.object({ ...place, purpose: z.string().max(250) }),
  archive: z.object({
    channel: z.string().min(1),
    /** Left out: who made the channel. */
    user: someone.optional(),
    archived: z.boolean().default(true),
  }),
  deleteChannel: z.object(place),
  /** Shares a channel with another organisation, or takes that back. */
  share: z.object({
    channel: z.string().min(1),
    shared: z.boolean().default(true),
    /** The other organisation's workspace. */
    with: foreignTeam.default('T0PARTNER'),
    /** They made the channel, and this workspace was invited. */
    hostedByThem: z.boolean().default(false),
  }),
} as const;
