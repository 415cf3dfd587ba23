import { z } from 'zod';

import { id, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** What the service does of its own accord and somebody must be able to look up. */
export const auditAction = z.enum(['webhook.deactivated']);

/** One thing that the service did of its own accord (beyond the specification); never changed afterwards. */
export const auditEntry = z
  .strictObject({
    id,
    workspaceId: id,
    action: auditAction,
    /** The record that it was done to. */
    subjectId: id,
    /** Why, in words for people. */
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
