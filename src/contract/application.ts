import { z } from 'zod';

import { applicationStatus, approvalStrategy } from './enums.ts';
import { httpUrl, id, idInputs, name, ref, shortText, timestamp } from './fields.ts';
import { LIMITS } from './limits.ts';
import { list, listQuery } from './lists.ts';

const accessLevel = z.strictObject({
  id,
  name: z.string(),
  description: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  integrationGroupIds: z.array(z.string()),
  approverIds: z.array(z.string()),
  approverGroupIds: z.array(z.string()),
  approvalStrategy,
});

/** Specification, Resources, Application. */
export const application = z
  .strictObject({
    id,
    name: z.string(),
    domain: z.string().nullable(),
    imageUrl: z.string().nullable(),
    ownerId: id.nullable(),
    organizationId: id.nullable(),
    integrationApplicationId: id.nullable(),
    price: z.number().nullable(),
    status: applicationStatus,
    approvalStrategy: approvalStrategy.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
    accessLevels: z.array(accessLevel),
    workspaces: z.array(ref),
    approvers: z.array(ref),
    approverGroups: z.array(ref),
    integration: z
      .strictObject({
        id,
        name: z.string(),
        app: z.string(),
        imageURL: z.string().nullable(),
        integrationGroups: z.array(
          z.strictObject({
            id,
            name: z.string(),
            externalGroupId: z.string(),
            metadata: z.record(z.string(), z.unknown()),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ id: 'Application' });
export type Application = z.output<typeof application>;

export const applicationList = list(application);

export const applicationListQuery = listQuery({
  sortBy: ['name', 'createdAt', 'updatedAt'],
  groupBy: ['status'],
  filters: { status: applicationStatus.nullish() },
});

/** One application of an import file; an existing one with the same id or name is replaced. */
export const applicationImport = z.object({
  id: id.nullish(),
  name,
  domain: shortText.nullish(),
  imageUrl: httpUrl.nullish(),
  ownerId: id.nullish(),
  integrationApplicationId: id.nullish(),
  price: z.number().min(0).nullish(),
  status: applicationStatus.nullish(),
  approvalStrategy: approvalStrategy.nullish(),
  approverIds: idInputs.nullish(),
  approverGroupIds: idInputs.nullish(),
  accessLevels: z
    .array(
      z.object({
        id: id.nullish(),
        name,
        description: z.string().max(LIMITS.ticketDescription).nullish(),
        integrationGroupIds: idInputs.nullish(),
        approverIds: idInputs.nullish(),
        approverGroupIds: idInputs.nullish(),
        approvalStrategy: approvalStrategy.nullish(),
      }),
    )
    .max(LIMITS.arrayItems)
    .nullish(),
  integration: z
    .object({
      id: id.nullish(),
      name,
      app: name,
      imageURL: httpUrl.nullish(),
      integrationGroups: z
        .array(
          z.object({
            id,
            name,
            externalGroupId: name,
            metadata: z.record(z.string(), z.unknown()).nullish(),
          }),
        )
        .max(LIMITS.arrayItems)
        .nullish(),
    })
    .nullish(),
});

/** The contents of a file for `deskbridge import applications`. */
export const applicationsFile = z.array(applicationImport).max(LIMITS.list.maxLimit);
