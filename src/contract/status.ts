import { z } from 'zod';

import { id, idInputs, name, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** Specification, Resources, Status. */
export const status = z
  .strictObject({
    id,
    label: z.string(),
    order: z.int(),
    system: z.boolean(),
    requestTypes: z.array(z.strictObject({ id, requestTypeId: id })),
    statusGroup: z.strictObject({ id, label: z.string(), workspaceId: id }),
    statusGroupId: id,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Status' });
export type Status = z.output<typeof status>;

/**
 * Returns the statuses that tickets of a request type (null: of none) may have: some are limited to certain request
 * types.
 */
export function statusesFor<S extends { requestTypes: readonly { requestTypeId: string }[] }>(
  requestTypeId: string | null,
  statuses: readonly S[],
): S[] {
  return statuses.filter(
    ({ requestTypes }) =>
      requestTypes.length === 0 || requestTypes.some((tied) => tied.requestTypeId === requestTypeId),
  );
}

export const statusList = list(status);

export const statusListQuery = listQuery({
  sortBy: ['order', 'label', 'createdAt', 'updatedAt'],
  groupBy: ['statusGroupId'],
  filters: {},
});

/**
 * `PUT /statuses`: relabels and reorders the status `id`. `requestTypeIds` (beyond the specification) limit it to these
 * request types, or lift the limit with `[]` or null; not for a system status.
 */
export const statusUpdate = z.object({
  id,
  order: z.int().min(0).max(1_000_000).nullish(),
  label: name.nullish(),
  requestTypeIds: idInputs.nullish(),
});

/**
 * `POST /statuses` (beyond the specification): a sub-status, last in order; limited to request types if it names any.
 */
export const statusCreate = z.object({
  label: name,
  statusGroupId: id,
  requestTypeIds: idInputs.nullish(),
  workspaceId: id.nullish(),
});
