import { z } from 'zod';

import { messageStatus, source } from './enums.ts';
import { ticketFile } from './file.ts';
import { isBlank } from './blank.ts';
import { fileIds, id, instant, name, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';

/** A copy of the message in chat. */
export const chatMessage = z.strictObject({
  id,
  ts: z.string(),
  channelId: z.string(),
  teamId: z.string().nullable(),
  ticketMessageId: id.nullable(),
  threadId: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const reaction = z.strictObject({
  id,
  emoji: z.string(),
  authorId: id.nullable(),
  ticketMessageId: id.nullable(),
});

/** Who wrote a message if no user did (beyond the specification). */
export const writers = {
  agent: z.strictObject({ id, name: z.string(), imageUrl: z.string().nullable() }).nullable().optional(),
  workflow: z.strictObject({ id, name: z.string() }).nullable().optional(),
};

/** Specification, Resources, Ticket message. */
export const ticketMessage = z
  .strictObject({
    id,
    content: z.string(),
    authorId: id.nullable(),
    author: z
      .strictObject({
        firstName: z.string().nullable(),
        lastName: z.string().nullable(),
        email: z.string().nullable(),
        image: z.string().nullable(),
      })
      .nullable(),
    ...writers,
    ticketId: id,
    source: source.nullable(),
    status: messageStatus.nullable(),
    chatChannelId: z.string().nullable(),
    chatMessages: z.array(chatMessage),
    deleted: z.boolean(),
    reactions: z.array(reaction),
    emailMessageId: z.string().nullable(),
    emailInReplyTo: z.string().nullable(),
    private: z.boolean(),
    /** Beyond the specification. */
    files: z.array(ticketFile).optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
    deletedAt: timestamp.nullable(),
  })
  .meta({ id: 'TicketMessage' });
export type TicketMessage = z.output<typeof ticketMessage>;

export const ticketMessageList = list(ticketMessage);

export const ticketMessageListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt'],
  groupBy: ['ticketId', 'authorId'],
  filters: {
    ticketId: id.nullish(),
    private: flag,
    /** Default true: deleted messages are listed as tombstones. */
    includeDeleted: flag,
    updatedFrom: instant.nullish(),
  },
});

export const messageText = z
  .string()
  .max(LIMITS.messageContent)
  .refine((value) => !isBlank(value), 'Must not be empty');

/** `POST /ticket-messages`; the pair `chatChannelId` + `chatTimestamp` makes it idempotent. */
export const ticketMessageCreate = z.object({
  content: messageText,
  ticketId: id,
  /** The workspace in which a reference in `ticketId` is looked up (beyond the specification). */
  workspaceId: id.nullish(),
  authorId: id.nullish(),
  source: source.nullish(),
  chatChannelId: shortText.nullish(),
  chatTimestamp: shortText.nullish(),
  private: z.boolean().nullish(),
  /** Files to attach (beyond the specification). */
  fileIds,
});

/** `PUT /ticket-messages/{id}` (beyond the specification). */
export const ticketMessageUpdate = z.object({
  content: messageText.nullish(),
  private: z.boolean().nullish(),
  /** The user for whom a key changes it. */
  actorId: id.nullish(),
});

/** `DELETE /ticket-messages/{id}` (beyond the specification): the user for whom a key deletes it. */
export const ticketMessageDelete = z.object({ actorId: id.nullish() });

/** `PUT /ticket-messages/{id}/chat-messages` (beyond the specification): one more copy of the message in chat. */
export const chatMessageAdd = z.object({
  channelId: name,
  ts: name,
  teamId: shortText.nullish(),
  threadId: shortText.nullish(),
});

/** `PUT` and `DELETE /ticket-messages/{id}/reactions` (beyond the specification). */
export const reactionChange = z.object({ emoji: name, authorId: id });
