import { z } from 'zod';

import { id, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

export const chatRequestKind = z.enum(['post', 'direct-message', 'reaction']);
export const chatRequestState = z.enum(['pending', 'done', 'failed']);

/** What a workflow asks to be written in chat (beyond the specification; docs/api.md, Workflows). */
export const chatRequest = z
  .strictObject({
    id,
    /** The ticket of the run; null if a schedule started it. */
    ticketId: id.nullable(),
    kind: chatRequestKind,
    /** Of a post or a reaction: the channel, with chat's own id. */
    chatChannelId: z.string().nullable(),
    /** Of a direct message: the user. */
    userId: id.nullable(),
    /** The name of the workflow, which writes it. */
    workflowName: z.string(),
    /** Of a reaction: the post. */
    reactsTo: z.string().nullable(),
    /** Markdown; of a reaction, the name of the emoji. */
    content: z.string(),
    state: chatRequestState,
    /** Of the post, or of the one that was reacted to, once it is done. */
    messageTs: z.string().nullable(),
    /** Why it failed. */
    error: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ChatRequest' });
export type ChatRequest = z.output<typeof chatRequest>;

export const chatRequestList = list(chatRequest);

export const chatRequestListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['state'],
  filters: { state: chatRequestState.nullish() },
});

/** `PUT /chat-requests/{id}`: the post, or why there is none. The first answer counts. */
export const chatRequestAnswer = z
  .object({
    messageTs: shortText.nullish(),
    error: z.string().min(1).max(LIMITS.shortText).nullish(),
  })
  .refine(({ messageTs, error }) => Boolean(messageTs) !== Boolean(error), {
    path: ['messageTs'],
    message: 'Send messageTs or error',
  });
