import { z } from 'zod';

import { isBlank } from './blank.ts';
import { httpUrl, id, idInputs, name, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';

/** Specification, Resources, Agent, `kBs`, in the fuller shape. */
export const knowledgeBaseRef = z.strictObject({
  id,
  name: z.string(),
  system: z.boolean(),
  /** Milliseconds since 1970 of the newest document, as a number. */
  lastSyncTS: z.number().nullable(),
  global: z.boolean(),
  _count: z.strictObject({ kBDocuments: z.int() }).nullable(),
});

/** The same as a separate record, with its workspace, queues and timestamps. */
export const knowledgeBase = z
  .strictObject({
    ...knowledgeBaseRef.shape,
    workspaceId: id,
    queues: z.array(z.strictObject({ id, name: z.string() })),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'KnowledgeBase' });
export type KnowledgeBase = z.output<typeof knowledgeBase>;

export const knowledgeBaseList = list(knowledgeBase);

export const knowledgeBaseListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name'],
  groupBy: ['global'],
  filters: { global: flag },
});

/** `POST /kbs` (beyond the specification); an existing `id` updates that one. */
export const knowledgeBaseSave = z.object({
  id: id.nullish(),
  name,
  global: z.boolean().nullish(),
  queueIds: idInputs.nullish(),
  workspaceId: id.nullish(),
});

/** One document of a knowledge base (beyond the specification). */
export const knowledgeBaseDocument = z
  .strictObject({
    id,
    kbId: id,
    title: z.string(),
    content: z.string(),
    url: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'KnowledgeBaseDocument' });
export type KnowledgeBaseDocument = z.output<typeof knowledgeBaseDocument>;

export const knowledgeBaseDocumentList = list(knowledgeBaseDocument);

export const knowledgeBaseDocumentListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'title'],
  groupBy: ['url'],
  filters: {},
});

export const knowledgeBaseDocumentParams = z.object({ id, documentId: id });

/** `POST /kbs/{id}/documents` (beyond the specification). */
export const knowledgeBaseDocumentCreate = z.object({
  title: name,
  content: z
    .string()
    .max(LIMITS.messageContent)
    .refine((value) => !isBlank(value), 'Must not be empty'),
  url: httpUrl.nullish(),
});
