import { z } from 'zod';

import { isBlank } from '../blank.ts';
import { id, idInputs, name, timestamp } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { flag, list, listQuery } from '../lists.ts';

/** A saved text for replies (beyond the specification): a person's own, or shared with all agents. */
export const cannedReply = z
  .strictObject({
    id,
    title: z.string(),
    /** Typed to insert the reply; unique among the shared replies and those of a person. */
    shortcut: z.string(),
    /** Markdown with variables. */
    content: z.string(),
    isShared: z.boolean(),
    /** Null if a program created it, or its owner was erased. */
    ownerId: id.nullable(),
    /** The queues on whose tickets it is offered; empty: all. */
    queueIds: z.array(id),
    workspaceId: id,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CannedReply' });
export type CannedReply = z.output<typeof cannedReply>;

export const cannedReplyList = list(cannedReply);

export const cannedReplyListQuery = listQuery({
  sortBy: ['title', 'shortcut', 'createdAt', 'updatedAt'],
  groupBy: ['isShared'],
  filters: {
    /** Only replies that are offered on tickets of this queue. */
    queueId: id.nullish(),
    /** Also other people's personal replies; only for admin keys, which export them. */
    includePersonal: flag,
  },
});

const shortcut = z
  .string()
  .max(50)
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'Expected lower-case letters, digits and single hyphens, as in vpn-reset',
  );
const content = z
  .string()
  .max(LIMITS.messageContent)
  .refine((value) => !isBlank(value), 'Must not be empty');

/** `PUT /canned-replies/{id}` (beyond the specification). */
export const cannedReplyUpdate = z.object({
  title: name.nullish(),
  shortcut: shortcut.nullish(),
  content: content.nullish(),
  isShared: z.boolean().nullish(),
  queueIds: idInputs.nullish(),
});

/** `POST /canned-replies` (beyond the specification). */
export const cannedReplyCreate = cannedReplyUpdate.extend({
  title: name,
  shortcut,
  content,
  workspaceId: id.nullish(),
});
