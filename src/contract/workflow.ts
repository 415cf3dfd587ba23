import { z } from 'zod';

import { workflowState } from './enums.ts';
import { id, name, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';

export const stepMetadata = z.strictObject({
  groupId: z.string().nullable(),
  isHidden: z.boolean(),
  isNotDeletable: z.boolean(),
  isNotDuplicable: z.boolean(),
  isNotReOrdable: z.boolean(),
});

export const workflowStep = z.strictObject({
  id,
  title: z.string(),
  description: z.string().nullable(),
  /** Names an action of the workflow configuration. */
  action: z.string(),
  inputs: z.record(z.string(), z.unknown()),
  metadata: stepMetadata.nullable(),
});

export const workflowConnection = z.strictObject({
  label: z.string().nullable(),
  sourceId: id,
  targetId: id,
  criteria: z.unknown(),
  id,
});

/** Specification, Resources, Workflow. Stored and configured, not executed. */
export const workflow = z
  .strictObject({
    id,
    name: z.string(),
    description: z.string().nullable(),
    isTemplate: z.boolean(),
    connections: z.array(workflowConnection),
    collectionId: id.nullable(),
    steps: z.array(workflowStep),
    author: z
      .strictObject({
        id,
        firstName: z.string().nullable(),
        lastName: z.string().nullable(),
        email: z.string().nullable(),
        image: z.string().nullable(),
      })
      .nullable(),
    state: workflowState,
    reference: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.output<typeof workflow>;

export const workflowList = list(workflow);

export const workflowListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name'],
  groupBy: ['state', 'isTemplate'],
  filters: { state: workflowState.nullish(), isTemplate: flag },
});

const steps = z
  .array(
    z.object({
      id: id.nullish(),
      title: name,
      description: z.string().max(LIMITS.ticketDescription).nullish(),
      action: name,
      inputs: z.record(z.string().max(LIMITS.shortText), z.unknown()).nullish(),
      metadata: z
        .object({
          groupId: shortText.nullish(),
          isHidden: z.boolean().nullish(),
          isNotDeletable: z.boolean().nullish(),
          isNotDuplicable: z.boolean().nullish(),
          isNotReOrdable: z.boolean().nullish(),
        })
        .nullish(),
    }),
  )
  .max(LIMITS.arrayItems)
  .nullish();

const connections = z
  .array(
    z.object({
      id: id.nullish(),
      label: shortText.nullish(),
      sourceId: id,
      targetId: id,
      criteria: z.unknown().optional(),
    }),
  )
  .max(LIMITS.arrayItems)
  .nullish();

const description = z.string().max(LIMITS.ticketDescription).nullish();
const named = { name, description };

/** `POST /workflows` (beyond the specification); starts as a draft. */
export const workflowCreate = z.object({
  ...named,
  isTemplate: z.boolean().nullish(),
  collectionId: id.nullish(),
  steps,
  connections,
  reference: shortText.nullish(),
  workspaceId: id.nullish(),
});

/** `PUT /workflows/{id}`; `state`, `steps`, `connections` and `reference` are beyond the specification. */
export const workflowUpdate = z.object({
  ...named,
  isTemplate: z.boolean().nullish(),
  collectionId: id.nullish(),
  state: workflowState.nullish(),
  steps,
  connections,
  reference: shortText.nullish(),
});

/** `POST /workflows/duplicate`. */
export const workflowDuplicate = z.object({ id, ...named, collectionId: id.nullable() });
