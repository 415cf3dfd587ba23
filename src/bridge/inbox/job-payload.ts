import { z } from 'zod';

import { OpenRequest } from '../outbox/outbox.ts';

/** The payload of a conversation's job. */
export const JobPayload = z.union([
  /** A received event; `again` if work on it may have started under another conversation's ordering key. */
  z.object({ inbox: z.string(), again: z.literal(true).optional() }),
  /** The record of this ticket may have changed. */
  z.object({ mirror: z.string() }),
  /** A command's parent message was posted: open its ticket. */
  z.object({ open: OpenRequest, conversation: z.string() }),
  /** A post was sent: tell the service where it is. */
  z.object({ copied: z.string() }),
  z.object({ carded: z.string() }),
  /** A message now belongs to a ticket: forward the reactions it already had (B12). */
  z.object({ reacted: z.string(), channel: z.string(), ts: z.string() }),
  /** A conversation continues in another thread: tell the service. `replaces` is a place that never existed in chat. */
  z.object({ moved: z.string(), replaces: z.string().optional() }),
  /** A planned write failed permanently: notify the ticket and its team. */
  z.object({ undelivered: z.string() }),
]);
export type JobPayload = z.infer<typeof JobPayload>;
