import { z } from 'zod';

import { workflowState } from './enums.ts';
import { id, idInputs, name, shortText, timestamp } from './fields.ts';
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

/** Specification, Resources, Workflow (docs/api.md, Workflows). */
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
    /** Beyond the specification: the version that was activated last; 0 if none was. */
    version: z.int().min(0),
    /** Beyond the specification: changes of an Active workflow that are not published yet. */
    draft: z
      .strictObject({ steps: z.array(workflowStep), connections: z.array(workflowConnection) })
      .nullable(),
    /** Beyond the specification: why it is in its state, if no person decided that. */
    stateReason: z.string().nullable(),
    /**
     * Beyond the specification: the queues whose tickets it reads and writes, private ones too; null: what everyone in
     * the workspace may read.
     */
    queueIds: z.array(id).nullable(),
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
  queueIds: idInputs.nullish(),
  workspaceId: id.nullish(),
});

/**
 * `PUT /workflows/{id}`; `state`, `steps`, `connections`, `reference`, `queueIds` and `includeMatching` are beyond the
 * specification. Steps of an Active workflow become its `draft`, until `state: "Active"` publishes them.
 */
export const workflowUpdate = z.object({
  ...named,
  isTemplate: z.boolean().nullish(),
  collectionId: id.nullish(),
  state: workflowState.nullish(),
  steps,
  connections,
  reference: shortText.nullish(),
  queueIds: idInputs.nullish(),
  /**
   * With `state: "Active"`: includes the tickets that match its triggers by time already, if they are no more than
   * these.
   */
  includeMatching: z.int().min(0).max(LIMITS.matchingTickets).nullish(),
});

/** `POST /workflows/duplicate`. */
export const workflowDuplicate = z.object({ id, ...named, collectionId: id.nullable() });

/** `GET /workflows/{id}/matching-tickets`: the tickets that match what is to be activated already. */
export const matchingTickets = z
  .strictObject({ count: z.int().min(0), isCapped: z.boolean() })
  .meta({ id: 'MatchingTickets' });
