import { z } from 'zod';

import { chatType, priority, responseType, source, ticketDue } from './enums.ts';
import {
  fileIds,
  id,
  idInputs,
  inWorkspace,
  instant,
  name,
  refInput,
  refInputs,
  shortText,
  timeZone,
} from './fields.ts';
import { isBlank } from './blank.ts';
import { LIMITS } from './limits.ts';
import { flag, listQuery, several } from './lists.ts';

/** Empty is the same as null. */
const title = z
  .string()
  .max(LIMITS.ticketTitle)
  .refine((value) => value === '' || !isBlank(value), 'Must not be blank')
  .nullish();
const description = z.string().max(LIMITS.ticketDescription).nullish();

const customFields = z
  .record(z.string().max(LIMITS.shortText), z.unknown())
  .refine((fields) => Object.keys(fields).length <= LIMITS.objectKeys, 'Too many fields')
  .nullish();

/** As many as merges may leave: whoever adds or removes one sends all. */
const followers = z.array(refInput).max(LIMITS.ofTicket.followers).nullish();

const writable = {
  title,
  description,
  priority: priority.nullish(),
  queueId: id.nullish(),
  requesterId: id.nullish(),
  authorId: id.nullish(),
  assigneeId: id.nullish(),
  statusId: id.nullish(),
  requestTypeId: id.nullish(),
  parentId: id.nullish(),
  private: z.boolean().nullish(),
  published: z.boolean().nullish(),
  disableAIResponse: z.boolean().nullish(),
  assignedAIAgent: id.nullish(),
  source: source.nullish(),
  approverIds: idInputs.nullish(),
  approvers: refInputs.nullish(),
  followers,
  tags: refInputs.nullish(),
  customFields,
  dueAt: instant.nullish(),
  snoozeUntil: instant.nullish(),
  startAt: instant.nullish(),
  chatChannelId: shortText.nullish(),
  chatTimestamp: shortText.nullish(),
};

/**
 * Queues of whose team the assignee is in chat (beyond the specification): where only the team reads a queue, others
 * are not assigned. Only the bridge, which knows who is in a channel, may say so.
 */
const teamQueueIds = idInputs.nullish();

/** `POST /tickets`; the pair `chatChannelId` + `chatTimestamp` makes it idempotent. */
export const ticketCreate = z
  .object({
    ...writable,
    teamQueueIds,
    /** Files to attach (beyond the specification). */
    fileIds,
    /** The requester is told of it in chat, as another person opens it for them (beyond the specification). */
    tellRequester: z.boolean().nullish(),
  })
  .refine((body) => !isBlank(body.title ?? '') || !isBlank(body.description ?? ''), {
    path: ['title'],
    message: 'A ticket needs a title or a description',
  });

/** `PUT /tickets/{id}`: only fields in `data` are written; null clears optional ones. */
export const ticketUpdate = z.object({
  data: z.object({
    ...writable,
    archivedAt: instant.nullish(),
    closedAt: instant.nullish(),
    resolvedAt: instant.nullish(),
    approvedAt: instant.nullish(),
    declinedAt: instant.nullish(),
    addTags: refInputs.nullish(),
    removeTags: refInputs.nullish(),
  }),
  /** The user who decided, if `data` approves or declines; default the key's user. */
  approverId: id.nullish(),
  /**
   * The user who does it, if a key acts for one (beyond the specification); for its activity, and they are not
   * notified.
   */
  actorId: id.nullish(),
  teamQueueIds,
  /**
   * Values that fields must still have (beyond the specification): if another one was written meanwhile, the update is
   * refused with 409 and says by whom.
   */
  expected: z
    .object({
      title,
      description,
      priority: priority.nullish(),
      queueId: id.nullish(),
      requesterId: id.nullish(),
      assigneeId: id.nullish(),
      statusId: id.nullish(),
      requestTypeId: id.nullish(),
      private: z.boolean().nullish(),
      dueAt: instant.nullish(),
      snoozeUntil: instant.nullish(),
      customFields,
      /** In any order. */
      followers,
    })
    .nullish(),
  /** The reason (beyond the specification); stored in `metadata.approval.reason`. */
  reason: z.string().max(LIMITS.ticketDescription).nullish(),
  /** Also writes status and archiving to the ticket's children. */
  includeChild: z.boolean().nullish(),
});

/** The fields by which lists of tickets can be sorted. */
export const TICKET_SORTS = [
  'createdAt',
  'updatedAt',
  'number',
  'title',
  'priority',
  'dueAt',
  // Beyond the specification: the earliest of firstReplyDueAt, resolutionDueAt and dueAt.
  'due',
  'statusId',
  'queueId',
  'assigneeId',
  // Beyond the specification: the best matches for `search` come first.
  'relevance',
] as const;

/** The filters of a list and of a search by fields of a ticket. */
export const ticketFilters = {
  queueId: several(id),
  statusId: several(id),
  assigneeId: several(id),
  requesterId: several(id),
  authorId: several(id),
  priority: several(priority),
  requestTypeId: several(id),
  parentId: several(id),
  tagId: several(id),
  private: flag,
  openFilter: flag,
  unassignedFilter: flag,
  /** True: only tickets that are snoozed now; false: only others; absent: both (beyond the specification). */
  snoozedFilter: flag,
  /** The same under the name that views save. */
  snoozed: flag,
  /** Open tickets that are overdue, or due by the end of today or of the next seven days (beyond the specification). */
  due: several(ticketDue),
  /** The time zone in which the days of `due` end; default UTC (beyond the specification). */
  timeZone: timeZone.nullish(),
  approverId: several(id),
  /**
   * True: only tickets that wait for an approval: they name approvers, and nobody has decided (beyond the
   * specification).
   */
  undecidedFilter: flag,
  followerId: several(id),
  createdFrom: instant.nullish(),
  createdTo: instant.nullish(),
  updatedFrom: instant.nullish(),
  updatedTo: instant.nullish(),
};

export const ticketListQuery = listQuery({
  sortBy: TICKET_SORTS,
  groupBy: ['priority', 'statusId', 'queueId', 'assigneeId', 'requesterId', 'requestTypeId', 'source'],
  filters: {
    ...ticketFilters,
    responseType: responseType.nullish(),
    visibleToUserId: id.nullish(),
    /** Of `visibleToUserId` only the tickets in which the user takes part (beyond the specification). */
    onlyOwn: flag,
    includeUnpublished: flag,
    includeArchived: flag,
    chatChannelId: shortText.nullish(),
    chatMessageTs: shortText.nullish(),
  },
}).superRefine(({ sortBy, search, cursor, groupBy }, context) => {
  if (sortBy !== 'relevance') return;
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (!search) refuse('sortBy', 'Send search with sortBy=relevance');
  if (cursor) refuse('cursor', 'Pages are not available by relevance');
  if (groupBy) refuse('groupBy', 'Send groupBy or sortBy=relevance, not both');
});

/** A key of the caller's choice, and parameters of the ticket list as in its URL. */
const countedQuery = z.object({ key: shortText, query: z.record(shortText, z.string().max(LIMITS.url)) });

/** `POST /tickets/counts` (beyond the specification). */
export const ticketCountsQuery = z.object({
  filters: z.array(countedQuery).max(LIMITS.ticketCounts.filters),
});

/** The number of tickets in each list, in the order of the request. */
export const ticketCounts = z
  .strictObject({
    counts: z.array(
      z.strictObject({
        key: z.string(),
        count: z.int().min(0),
        /** Whether there are more than `count`. */
        isCapped: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'TicketCounts' });
export type TicketCounts = z.output<typeof ticketCounts>;

/**
 * `PUT /tickets/{id}/chat-threads` (beyond the specification): adds or updates by (channelId, messageTs). `replaces` is
 * the messageTs of another thread of the ticket in this channel, which is no longer listed; its pair stays known, so
 * `POST /tickets` with it returns this ticket, and `chatMessageTs` finds it.
 */
export const chatThreadPut = z.object({
  channelId: name,
  messageTs: name,
  replaces: name.nullish(),
  mirrorTs: shortText.nullish(),
  type: chatType.nullish(),
  userId: id.nullish(),
  appId: shortText.nullish(),
});

/**
 * `PUT /tickets/{id}/claim` (beyond the specification): records for two minutes who is replying; does not assign the
 * ticket.
 */
export const ticketClaim = z.object({ userId: id });

/**
 * `GET /tickets/{id}`. With `messagesFrom` (beyond the specification) the ticket has its `messages` changed since that
 * instant, in that order, unless there are more than `LIMITS.messagesWithTicket`.
 */
export const ticketReadQuery = inWorkspace.extend({ messagesFrom: instant.nullish() });

/** `POST /tickets/{id}/csat` (beyond the specification): one rating per user; a later one replaces it. */
export const ticketRating = z.object({
  score: z.int().min(1).max(5),
  feedback: z.string().max(LIMITS.ticketDescription).nullish(),
  userId: id,
});
