import { z } from 'zod';

import { id, idInputs, name, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';

/** The variables of canned replies, written as `{{requester.first_name}}`. */
export const CANNED_REPLY_VARIABLES = [
  'requester.first_name',
  'requester.name',
  'agent.first_name',
  'agent.name',
  'ticket.reference',
  'ticket.title',
  'queue.name',
] as const;
export type CannedReplyVariable = (typeof CANNED_REPLY_VARIABLES)[number];
export type CannedReplyValues = Partial<Record<CannedReplyVariable, string | null>>;

const VARIABLE = /\{\{([^{}]*)\}\}/g;

const isVariable = (name: string): name is CannedReplyVariable =>
  (CANNED_REPLY_VARIABLES as readonly string[]).includes(name);

/** Returns what stands between double braces in a text and is no variable, each once. */
export function unknownVariables(content: string): string[] {
  const names = [...content.matchAll(VARIABLE)].map(([, name = '']) => name.trim());
  return [...new Set(names.filter((name) => !isVariable(name)))];
}

/**
 * Returns a canned reply's text with the values of its variables. A variable without a value becomes empty; an unknown
 * one stays, and so do braces within a value.
 */
export function renderCannedReply(content: string, values: CannedReplyValues): string {
  return content.replaceAll(VARIABLE, (whole, inner: string) => {
    const name = inner.trim();
    return isVariable(name) ? (values[name] ?? '') : whole;
  });
}

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
  .refine((value) => value.trim() !== '', 'Must not be empty');

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
