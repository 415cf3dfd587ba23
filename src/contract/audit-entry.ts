import { z } from 'zod';

import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** Actions that the service takes on its own and administrators must be able to look up. */
export const auditAction = z.enum(['webhook.deactivated']);

/** One action that the service took on its own (beyond the specification); never changed afterwards. */
export const auditEntry = z
  .strictObject({
    id,
    workspaceId: id,
    action: auditAction,
    /** The record that was changed. */
    subjectId: id,
    /** The reason, as shown to people. */
    reason: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

export const auditEntryList = list(auditEntry);

export const auditEntryListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['action', 'subjectId'],
  filters: { action: auditAction.nullish(), subjectId: id.nullish() },
});
