import { z } from 'zod';

import { activityActor, activityValue } from './errors.ts';
import { id, timestamp } from './fields.ts';
import { linkKind, presenceState } from './enums.ts';

/**
 * One entry of a ticket's activity (beyond the specification). `field` is the changed field of the ticket (`statusId`,
 * `tags`, ...), or the relation of a link as this ticket has it. A tag or an approver that was added has no `from`, one
 * that was removed has no `to`. A merge and its undoing are on both tickets: `mergedIntoId` on the one that was merged,
 * `mergedFrom` on the one that it was merged into. `opened` says that an admin read a ticket of a team to which they do
 * not belong, and `called` that an AI agent used the tool that `field` names; only the ticket's team sees these two.
 */
export const ticketActivity = z
  .strictObject({
    id,
    at: timestamp,
    actor: activityActor,
    kind: z.enum(['created', 'changed', 'merged', 'unmerged', 'linked', 'unlinked', 'opened', 'called']),
    field: z.string().nullable(),
    from: activityValue.nullable(),
    to: activityValue.nullable(),
  })
  .meta({ id: 'TicketActivity' });
export type TicketActivity = z.output<typeof ticketActivity>;

/** The ticket's newest entries, oldest first (docs/api.md, Tickets). */
export const ticketActivityList = z.strictObject({ items: z.array(ticketActivity) });

/** `POST /tickets/{id}/merge` (beyond the specification). */
export const ticketMerge = z.object({
  intoId: id,
  /** The user who does it, if a key acts for one. */
  userId: id.nullish(),
});

/**
 * `POST /tickets/{id}/links` (beyond the specification): this ticket is related to, a duplicate of, or blocks another.
 */
export const ticketLinkCreate = z.object({ ticketId: id, kind: linkKind, userId: id.nullish() });

export const ticketLinkParams = z.object({ id, linkId: id });

/** `PUT /tickets/{id}/presence` (beyond the specification); kept for 30 seconds. */
export const ticketPresencePut = z.object({ state: presenceState, userId: id.nullish() });

/** The users who are looking at a ticket or writing on it now. */
export const ticketPresence = z
  .strictObject({
    people: z.array(
      z.strictObject({
        userId: id,
        name: z.string(),
        state: presenceState.exclude(['gone']),
        until: timestamp,
      }),
    ),
  })
  .meta({ id: 'TicketPresence' });
export type TicketPresence = z.output<typeof ticketPresence>;
