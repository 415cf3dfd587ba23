import { z } from 'zod';

import { actionType, resourceType, stepFieldType } from './enums.ts';
import { id } from './fields.ts';
import { flag } from './lists.ts';
import { workflowStep } from './workflow.ts';

/** Specification, Resources, Workflow, Input/output field descriptor. */
export const fieldDescriptor = z.strictObject({
  label: z.string(),
  key: z.string(),
  placeholder: z.string().nullable(),
  span: z.number(),
  type: stepFieldType,
  resourceType: resourceType.nullable(),
});
export type FieldDescriptor = z.output<typeof fieldDescriptor>;

export const workflowAction = z.strictObject({
  name: z.string(),
  type: actionType,
  group: z.string(),
  description: z.string(),
  title: z.string(),
  app: z.string(),
  inputs: z.array(fieldDescriptor),
  outputs: z.array(fieldDescriptor),
});
export type WorkflowAction = z.output<typeof workflowAction>;

/** Specification, Resources, Workflow, Workflow app configuration record. */
export const workflowApp = z
  .strictObject({ id, name: z.string(), group: z.string(), actions: z.array(workflowAction) })
  .meta({ id: 'WorkflowApp' });
export type WorkflowApp = z.output<typeof workflowApp>;

/** The response of `GET /workflow-config/apps`: a bare array, as in the specification. */
export const workflowApps = z.array(workflowApp);

/** Specification, Resources, Workflow, Step (single fetch). */
export const workflowStepDetail = z
  .strictObject({
    ...workflowStep.shape,
    /** Outputs of earlier steps that fit each input; empty unless requested. */
    suggestions: z.array(z.strictObject({ field: z.string(), stepId: id })),
  })
  .meta({ id: 'WorkflowStep' });
export type WorkflowStepDetail = z.output<typeof workflowStepDetail>;

export const workflowStepParams = z.object({ workflowId: id, stepId: id });
export const workflowStepQuery = z.object({ suggestions: flag });
