import { z } from 'zod';

import { id, instant, shortText, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

export const auditAction = z.enum([
  'session.started',
  'session.ended',
  'sign-in.refused',
  'sign-in-link.created',
  'user.changed',
  'user.account-linked',
  'identity.removed',
  'user.role-changed',
  'user.deactivated',
  'user.reactivated',
  'user.erased',
  'api-key.created',
  'api-key.revoked',
  'settings.changed',
  'data.exported',
  'ticket.archived',
  'ticket.opened',
  'message.changed',
  'message.deleted',
  'file.deleted',
  'webhook.deactivated',
  'workflow.paused',
  'workflow.run-changed',
  'tool.called',
  'connection.started',
  'connection.ended',
]);
export type AuditAction = z.output<typeof auditAction>;

/** One action that an admin must be able to look up (beyond the specification); never changed afterwards. */
export const auditEntry = z
  .strictObject({
    id,
    workspaceId: id,
    action: auditAction,
    /** The person who did it; null if it was an API key or the service itself. */
    actorId: id.nullable(),
    /** The API key that did it. */
    actorKeyId: id.nullable(),
    /** The record that was changed; null if there is none, as when an unknown person is refused. */
    subjectId: id.nullable(),
    /** The reason, as shown to people. */
    reason: z.string(),
    /** Of a write: `operation`, and `changes` with before and after per field; without secrets and texts. */
    detail: z.record(z.string(), z.unknown()).nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

export const auditEntryList = list(auditEntry);

export const auditEntryListQuery = listQuery({
  sortBy: ['createdAt'],
  groupBy: ['action', 'subjectId'],
  filters: {
    action: auditAction.nullish(),
    /** A person, or an API key. */
    actorId: id.nullish(),
    subjectId: id.nullish(),
    createdFrom: instant.nullish(),
    createdTo: instant.nullish(),
  },
});

/** `POST /audit-entries` (beyond the specification): a program records that it exports the records of a workspace. */
export const auditEntryCreate = z.object({
  action: auditAction.extract(['data.exported']),
  workspaceId: id.nullish(),
  reason: shortText.nullish(),
});
