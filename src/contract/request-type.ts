import { z } from 'zod';

import { customField } from './custom-field.ts';
import { priority, requestTypeKind, ticketField } from './enums.ts';
import { id, name, refInputs, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { flag, list, listQuery } from './lists.ts';
import { ticketTag } from './ticket.ts';
import { onWhereAbsent } from './tolerant.ts';

/** Specification, Resources, Request type, Request-type custom field. */
export const requestTypeCustomField = z.strictObject({
  id,
  order: z.int(),
  private: z.boolean(),
  required: z.boolean(),
  ticketField: ticketField.nullable(),
  requestTypeId: id,
  customFieldId: id,
  customField,
  /** The request-type custom field that this one depends on: it is shown only if that one has `dependsOnValue`. */
  parentId: id.nullable(),
  dependsOnValue: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** Specification, Resources, Request type (also used for a collection). */
export const requestType = z
  .strictObject({
    id,
    name: z.string(),
    emoji: z.string().nullable(),
    icon: z.string().nullable(),
    color: z.string().nullable(),
    description: z.string().nullable(),
    isDefault: z.boolean(),
    isPrivate: z.boolean(),
    published: z.boolean().register(onWhereAbsent, { absent: true }),
    jobId: z.string().nullable(),
    aiExamples: z.string().nullable(),
    aiResponse: z.string().nullable(),
    workspaceId: id,
    titleTemplate: z.string().nullable(),
    defaultQueueId: id.nullable(),
    defaultStatusId: id.nullable(),
    defaultTaskTemplateId: id.nullable(),
    defaultPriority: priority.nullable(),
    type: requestTypeKind,
    parentId: id.nullable(),
    parent: z.strictObject({ id, name: z.string() }).nullable(),
    tags: z.array(ticketTag),
    customFields: z.array(requestTypeCustomField),
    formEnabled: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'RequestType' });
export type RequestType = z.output<typeof requestType>;

export const requestTypeList = list(requestType);

export const requestTypeListQuery = listQuery({
  sortBy: ['createdAt', 'updatedAt', 'name'],
  groupBy: ['type', 'parentId'],
  filters: { type: requestTypeKind.nullish(), parentId: id.nullish(), published: flag },
});

const longText = z.string().max(LIMITS.ticketDescription).nullish();

/** The custom fields of a request type; `parentId` may be either id of the parent field. */
const customFields = z
  .array(
    z.object({
      customFieldId: id,
      order: z.int().min(0).max(1_000_000).nullish(),
      required: z.boolean().nullish(),
      private: z.boolean().nullish(),
      ticketField: ticketField.nullish(),
      parentId: id.nullish(),
      dependsOnValue: shortText.nullish(),
    }),
  )
  .max(LIMITS.arrayItems)
  .refine(
    (given) => new Set(given.map(({ customFieldId }) => customFieldId)).size === given.length,
    'Duplicate custom field',
  );

const writable = {
  color: shortText.nullish(),
  emoji: shortText.nullish(),
  icon: shortText.nullish(),
  isDefault: z.boolean().nullish(),
  isPrivate: z.boolean().nullish(),
  defaultQueueId: id.nullish(),
  defaultPriority: priority.nullish(),
  description: longText,
  type: requestTypeKind.nullish(),
  parentId: id.nullish(),
  // Beyond the specification, as are all below.
  published: z.boolean().nullish(),
  jobId: shortText.nullish(),
  aiExamples: longText,
  aiResponse: longText,
  titleTemplate: shortText.nullish(),
  defaultStatusId: id.nullish(),
  defaultTaskTemplateId: id.nullish(),
  formEnabled: z.boolean().nullish(),
  tags: refInputs.nullish(),
  customFields: customFields.nullish(),
};

/** `PUT /request-types/{id}` (beyond the specification): only named fields are written; null clears optional ones. */
export const requestTypeUpdate = z.object({ name: name.nullish(), ...writable });

/** `POST /request-types`: an existing `id` updates that record, any other becomes the new record's id. */
export const requestTypeSave = z.object({ id: id.nullish(), name, ...writable, workspaceId: id.nullish() });

/** `POST /request-types/move`: into the collection `targetId`, or to the top level if it is null. */
export const requestTypeMove = z.object({ id, targetId: id.nullable() });
