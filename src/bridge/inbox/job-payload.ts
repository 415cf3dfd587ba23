import { z } from 'zod';

import { OpenRequest } from '../outbox/outbox.ts';

/** What stands in a conversation's lane. */
export const JobPayload = z.union([
  /** An event that came in from either side; `again` where work on it may have begun in another conversation's lane. */
  z.object({ inbox: z.string(), again: z.literal(true).optional() }),
  /** The record of this ticket may have changed. */
  z.object({ mirror: z.string() }),
  /** A command's root message stands: open its ticket. */
  z.object({ open: OpenRequest, conversation: z.string() }),
  /** A post went out: tell the service where it stands. */
  z.object({ copied: z.string() }),
  z.object({ carded: z.string() }),
  /** A message is a ticket's from now on: the emoji that were on it before are carried (B12). */
  z.object({ reacted: z.string(), channel: z.string(), ts: z.string() }),
  /** A conversation goes on in another thread: tell the service. `replaces` is the place of one that never stood in chat. */
  z.object({ moved: z.string(), replaces: z.string().optional() }),
  /** A planned write can never go through: tell the ticket and its team. */
  z.object({ undelivered: z.string() }),
]);
export type JobPayload = z.infer<typeof JobPayload>;
