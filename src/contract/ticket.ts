import { z } from 'zod';

import { approvalDecision, chatType, legacyStatus, linkKind, priority, source } from './enums.ts';
import { ticketFile } from './file.ts';
import { id, ref, timestamp } from './fields.ts';
import { typedList } from './lists.ts';
import { status } from './status.ts';
import { ticketMessage, writers } from './ticket-message.ts';

/** A thread in chat in which a ticket was opened, or to which it is mirrored. */
export const chatThread = z.strictObject({
  id,
  type: chatType.nullable(),
  userId: id.nullable(),
  appId: z.string().nullable(),
  channelId: z.string(),
  messageTs: z.string(),
  mirrorTs: z.string().nullable(),
  ticketId: id.nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const ticketTag = z.strictObject({ id, name: z.string(), color: z.string().nullable() });

/** A ticket's fields without its relations; the same in both response types. */
const own = {
  id,
  number: z.int(),
  shortId: z.string().nullable(),
  code: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  priority,
  published: z.boolean(),
  private: z.boolean(),
  source: source.nullable(),
  queueId: id.nullable(),
  requesterId: id.nullable(),
  authorId: id.nullable(),
  assigneeId: id.nullable(),
  statusId: id,
  requestTypeId: id.nullable(),
  parentId: id.nullable(),
  disableAIResponse: z.boolean(),
  assignedAIAgent: id.nullable(),
  chatChannelId: z.string().nullable(),
  /** Beyond the specification: the ticket that this one was merged into. */
  mergedIntoId: id.nullable(),
  publishedAt: timestamp.nullable(),
  assignedAt: timestamp.nullable(),
  dueAt: timestamp.nullable(),
  snoozeUntil: timestamp.nullable(),
  approvedAt: timestamp.nullable(),
  declinedAt: timestamp.nullable(),
  startAt: timestamp.nullable(),
  respondedAt: timestamp.nullable(),
  resolvedAt: timestamp.nullable(),
  closedAt: timestamp.nullable(),
  archivedAt: timestamp.nullable(),
  /** Beyond the specification: when the queue's targets end; null once met, or without a target. */
  firstReplyDueAt: timestamp.nullable(),
  resolutionDueAt: timestamp.nullable(),
  /**
   * Beyond the specification: since when a target waits for the requester; then the two above are null. Null: none
   * does.
   */
  slaPausedAt: timestamp.nullable(),
  /**
   * Beyond the specification: when the requester may expect the first reply, by what is usual, else by the target; null
   * once there is one, while it waits for the requester, or if nothing can be said.
   */
  expectedReplyAt: timestamp.nullable(),
  /**
   * Beyond the specification: the newest public message, with the beginning of its Markdown; null without one. Internal
   * notes are nowhere in it. Absent in events, which have messages of their own.
   */
  lastReply: z
    .strictObject({
      id,
      authorId: id.nullable(),
      ...writers,
      source: source.nullish(),
      excerpt: z.string(),
      createdAt: timestamp,
    })
    .nullish(),
  createdAt: timestamp,
  updatedAt: timestamp,
  /**
   * For a signed-in person (beyond the specification): another one wrote or changed something since the person last saw
   * the ticket, or since their first sign-in. Absent for keys, and in events.
   */
  isUnread: z.boolean().optional(),
};

/** Specification, Resources, Ticket, with expanded relations. */
export const ticket = z
  .strictObject({
    ...own,
    queue: z
      .strictObject({
        id,
        prefix: z.string(),
        emoji: z.string().nullable(),
        workspaceId: id,
        name: z.string(),
        workspace: z.strictObject({ slug: z.string() }).nullable(),
      })
      .nullable(),
    status,
    requestType: z.strictObject({ id, name: z.string(), isPrivate: z.boolean() }).nullable(),
    approvers: z.array(ref),
    chatThreads: z.array(chatThread),
    csat: z.array(z.strictObject({ score: z.number(), feedback: z.string().nullable() })),
    parent: z
      .strictObject({ number: z.int(), queue: z.strictObject({ prefix: z.string() }).nullable() })
      .nullable(),
    children: z.array(
      z.strictObject({
        id,
        title: z.string().nullable(),
        description: z.string().nullable(),
        number: z.int(),
        statusId: id,
        legacyStatus: legacyStatus.nullable(),
      }),
    ),
    tags: z.array(ticketTag),
  })
  .meta({ id: 'Ticket' });
export type Ticket = z.output<typeof ticket>;

/** Specification, `responseType=thin`: the relations reduced to ids. */
export const thinTicket = z
  .strictObject({
    ...own,
    queue: id.nullable(),
    status: id,
    requestType: id.nullable(),
    approvers: z.array(id),
    chatThreads: z.array(id),
    csat: z.array(id),
    parent: id.nullable(),
    children: z.array(id),
    tags: z.array(id),
  })
  .meta({ id: 'ThinTicket' });
export type ThinTicket = z.output<typeof thinTicket>;

export const approval = z.strictObject({
  userId: id.nullable(),
  decision: approvalDecision,
  reason: z.string().nullable(),
  at: timestamp,
});

/** The user who is replying to the ticket, so that two agents do not; null after `until`. */
const claim = z.strictObject({ userId: id, until: timestamp });

/** A link to another ticket; `in`: the other one names this one. */
const ticketLink = z.strictObject({
  id,
  kind: linkKind,
  direction: z.enum(['out', 'in']),
  ticket: z.strictObject({
    id,
    number: z.int(),
    code: z.string(),
    title: z.string().nullable(),
    statusId: id,
  }),
});
export type TicketLink = z.output<typeof ticketLink>;

/** A single ticket: the fields of lists, and those only returned here (docs/api.md, Tickets). */
export const ticketDetail = z
  .strictObject({
    ...ticket.shape,
    followers: z.array(ref),
    links: z.array(ticketLink),
    /** Files of the ticket itself; those of its messages are on them (beyond the specification). */
    files: z.array(ticketFile).optional(),
    /** Asked for by `messagesFrom` (beyond the specification). */
    messages: z.array(ticketMessage).optional(),
    customFields: z.record(z.string(), z.unknown()),
    /** Beyond the specification: whoever opened it wants the requester to be told in chat; else absent. */
    tellRequester: z.literal(true).optional(),
    metadata: z.strictObject({ approval: approval.nullable(), claim: claim.nullable() }),
  })
  .meta({ id: 'TicketDetail' });
export type TicketDetail = z.output<typeof ticketDetail>;

export const ticketList = typedList(ticket, 'default');
export const thinTicketList = typedList(thinTicket, 'thin');
