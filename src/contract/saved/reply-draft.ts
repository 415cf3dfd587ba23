import { z } from 'zod';

import { activityActor } from '../errors.ts';
import { isBlank } from '../blank.ts';
import { id, timestamp } from '../fields.ts';
import { LIMITS } from '../limits.ts';

/**
 * A reply that waits on a ticket for somebody of its team to send it (beyond the specification). Unlike a person's own
 * draft, the whole team sees it. Kept for 30 days after its last change.
 */
export const replyDraft = z
  .strictObject({
    id,
    ticketId: id,
    content: z.string(),
    /** One more with every change: a reply is sent only as the version that somebody saw. */
    version: z.int().min(1),
    /** Who wrote this version. */
    author: activityActor,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ReplyDraft' });
export type ReplyDraft = z.output<typeof replyDraft>;

/** The unsent replies of a ticket, oldest first. */
export const replyDraftList = z.strictObject({ items: z.array(replyDraft) });

const content = z
  .string()
  .max(LIMITS.messageContent)
  .refine((value) => !isBlank(value), 'Must not be empty');

/** `POST /tickets/{id}/reply-drafts` (beyond the specification). */
export const replyDraftCreate = z.object({ content });

const version = z.int().min(1);

/** `PUT /reply-drafts/{id}` (beyond the specification): replaces this version. */
export const replyDraftUpdate = z.object({ content, version });

/**
 * `POST /reply-drafts/{id}/send` (beyond the specification): sends this version; sent again, it returns the message.
 */
export const replyDraftSend = z.object({ version });

/** `DELETE /reply-drafts/{id}` (beyond the specification): deletes this version; without one, whichever is there. */
export const replyDraftDelete = z.object({ version: version.nullish() });
