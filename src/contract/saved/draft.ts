import { z } from 'zod';

import { fileIds, timestamp } from '../fields.ts';
import { ticketFile } from '../file.ts';
import { LIMITS } from '../limits.ts';

/** A person's unsent message on a ticket (beyond the specification): one per person and ticket, kept for 30 days. */
export const ticketDraft = z
  .strictObject({
    content: z.string(),
    isPrivate: z.boolean(),
    /** Its uploaded files that still exist and are not attached yet; a draft keeps them from being removed. */
    files: z.array(ticketFile),
    updatedAt: timestamp,
  })
  .meta({ id: 'TicketDraft' });
export type TicketDraft = z.output<typeof ticketDraft>;

/** `PUT /tickets/{id}/draft` (beyond the specification); replaces the draft. */
export const ticketDraftPut = z.object({
  content: z.string().max(LIMITS.messageContent),
  isPrivate: z.boolean().nullish(),
  /** Files that the person uploaded to the ticket and did not attach. */
  fileIds,
});
