import { z } from 'zod';

import { scheduledReplyHold } from './enums.ts';
import { fileIds, id, instant, timestamp } from './fields.ts';
import { ticketFile } from './file.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';
import { messageText } from './ticket-message.ts';

/**
 * A public reply that is sent later (beyond the specification): no message until then. What speaks against it at that
 * time holds it back.
 */
export const scheduledReply = z
  .strictObject({
    id,
    ticketId: id,
    authorId: id,
    content: z.string(),
    /** Attached when it is sent. */
    files: z.array(ticketFile),
    sendAt: timestamp,
    /** The status that the ticket gets with it. */
    statusId: id.nullable(),
    /** Why it was not sent; null while it waits for its time. */
    heldBecause: scheduledReplyHold.nullable(),
    /** What the service said, if it refused it. */
    heldDetail: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ScheduledReply' });
export type ScheduledReply = z.output<typeof scheduledReply>;

export const scheduledReplyList = list(scheduledReply);

export const scheduledReplyListQuery = listQuery({
  sortBy: ['sendAt', 'createdAt'],
  groupBy: ['ticketId', 'authorId'],
  filters: { ticketId: id.nullish(), authorId: id.nullish() },
});

/** When it is sent: at an instant, or so many seconds from now by the service's clock. */
const time = {
  sendAt: instant.nullish(),
  delaySeconds: z.int().min(0).max(LIMITS.delaySeconds).nullish(),
};
const timesIn = ({ sendAt, delaySeconds }: { sendAt?: unknown; delaySeconds?: unknown }) =>
  [sendAt, delaySeconds].filter((given) => given !== null && given !== undefined).length;

/** `POST /scheduled-replies` (beyond the specification). */
export const scheduledReplyCreate = z
  .object({
    ticketId: id,
    /** The workspace in which a reference in `ticketId` is looked up. */
    workspaceId: id.nullish(),
    content: messageText,
    /** Files that the person uploaded to the ticket and did not attach. */
    fileIds,
    statusId: id.nullish(),
    ...time,
  })
  .refine((body) => timesIn(body) === 1, 'Send exactly one of sendAt and delaySeconds');

/** `PUT /scheduled-replies/{id}` (beyond the specification); another time sends it although it was held back. */
export const scheduledReplyUpdate = z
  .object({ content: messageText.nullish(), ...time })
  .refine((body) => timesIn(body) <= 1, 'Send only one of sendAt and delaySeconds');
