import { z } from 'zod';

import { id, idInputs, timestamp } from './fields.ts';
import { flag, list, listQuery } from './lists.ts';

/**
 * What an entry of the inbox is about: `opened` tells the assignee of a new ticket, whom it names or whose turn it is
 * in the queue's round robin, `reassigned` the previous assignee; `noted` is an internal note, `decided` an approval or
 * its refusal, `approval` the question for one, `reopened` a status change from done or closed; `due-soon` and
 * `overdue` say that a target's time is nearly up, or over, `unassigned` that nobody got the ticket in turn, because
 * all are away, `reply-held` that one's own scheduled reply was not sent; `workflow-failed` that a step of a workflow
 * needs a person, `workflow-paused` that a workflow started too many runs, `workflow-chain-ended` that it was not
 * started because too many runs had led to it.
 */
export const notificationKind = z.enum([
  'opened',
  'assigned',
  'reassigned',
  'status',
  'reopened',
  'decided',
  'approval',
  'replied',
  'noted',
  'mentioned',
  'due-soon',
  'overdue',
  'unassigned',
  'reply-held',
  'workflow-failed',
  'workflow-paused',
  'workflow-chain-ended',
]);
export type NotificationKind = z.output<typeof notificationKind>;

/** An entry of the signed-in person's inbox (beyond the specification). */
export const notification = z
  .strictObject({
    id,
    kind: notificationKind,
    ticketId: id,
    /** The title is null if the person no longer sees the ticket. */
    ticket: z.strictObject({ code: z.string(), title: z.string().nullable() }),
    /** The message it is about. */
    messageId: id.nullable(),
    /** The user who did it, or the AI agent or workflow that wrote the message; null if unknown. */
    actor: z.strictObject({ id, name: z.string() }).nullable(),
    /** The beginning of the message as it is now; null without one, or if it was deleted. */
    excerpt: z.string().nullable(),
    at: timestamp,
    readAt: timestamp.nullable(),
  })
  .meta({ id: 'Notification' });
export type Notification = z.output<typeof notification>;

export const notificationList = list(notification);

export const notificationListQuery = listQuery({
  sortBy: ['at'],
  groupBy: ['kind', 'ticketId'],
  filters: {
    /** True: only unread ones; false: only read ones. */
    unread: flag,
    ticketId: id.nullish(),
  },
});

/** `POST /notifications/read`: exactly one of the three. */
export const notificationsRead = z
  .object({ ids: idInputs.nullish(), all: z.literal(true).nullish(), ticketId: id.nullish() })
  .refine(
    ({ ids, all, ticketId }) => [ids, all, ticketId].filter((given) => given ?? false).length === 1,
    'Send exactly one of ids, all and ticketId',
  );

export const notificationCount = z
  .strictObject({
    unread: z.int().min(0),
    latestId: z.string().nullable().meta({ description: 'The newest unread one; null if there is none.' }),
  })
  .meta({ id: 'NotificationCount' });

/** `PUT /tickets/{id}/read`: until when the signed-in person has seen the ticket. */
export const ticketSeen = z.strictObject({ ticketId: id, seenAt: timestamp }).meta({ id: 'TicketSeen' });
