import { z } from 'zod';

// The values of docs/api.md, Conventions. Our service sends and accepts exactly these; our client accepts any other
// string as well (tolerant.ts).

export const priority = z.enum(['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY']);
export type Priority = z.output<typeof priority>;
/** Names of the priorities. */
export const PRIORITY_WORD: Record<string, string> = {
  URGENT: 'Urgent',
  HIGH: 'High',
  MEDIUM: 'Medium',
  LOW: 'Low',
  NO_PRIORITY: 'No priority',
};

/** The origin of a ticket or a message. */
export const source = z.enum([
  'WEB',
  'EMAIL',
  'FORM',
  'CHAT',
  'SLA',
  'WORKFLOW',
  'INTEGRATION',
  'SYSTEM',
  'AGENT',
  'API',
]);
export type Source = z.output<typeof source>;

/** A status group as in `children[].legacyStatus`. */
export const legacyStatus = z.enum(['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']);

/** What the team's threads in a triage channel show of their tickets (beyond the specification, docs/rules.md B14). */
export const teamThread = z.enum(['everything', 'answers', 'notes']);
export type TeamThread = z.output<typeof teamThread>;

/** The purpose of a chat thread or a linked chat channel. */
export const chatType = z.enum(['DM', 'PERSONAL_DM', 'REQUEST', 'TRIAGE', 'GROUP', 'ASSISTANT', 'OTHER']);

/**
 * Who reads the tickets of a queue that are not private (beyond the specification): everyone in the workspace, its
 * agents, or the queue's team (docs/rules.md, Who reads a queue).
 */
export const queueVisibility = z.enum(['workspace', 'agents', 'team']);
export type QueueVisibility = z.output<typeof queueVisibility>;

export const messageStatus = z.enum(['CREATED', 'EDITED', 'DELETED']);
export const respondOnMessage = z.enum(['all-messages', 'channel-messages', 'no-messages']);
export const responseType = z.enum(['default', 'thin']);
/** When a ticket is due. */
export const ticketDue = z.enum(['overdue', 'today', 'week']);
/** What a target of a queue is for. */
export const slaTarget = z.enum(['first-reply', 'resolution']);
export type SlaTarget = z.output<typeof slaTarget>;
/** Who is told of a target: its assignee and the queue's team, a person, or a channel in chat. */
export const warningRecipient = z.enum(['team', 'person', 'channel']);
export type WarningRecipient = z.output<typeof warningRecipient>;
/** Why a scheduled reply was not sent at its time. */
export const scheduledReplyHold = z.enum(['requester-replied', 'ticket-closed', 'author-left', 'refused']);
export type ScheduledReplyHold = z.output<typeof scheduledReplyHold>;
export const sortDirection = z.enum(['asc', 'desc']);
export const webhookEventType = z.enum(['Ticket', 'Message']);
export const approvalDecision = z.enum(['approved', 'declined']);

/** The relation of a ticket to another one that it is linked with. */
export const linkKind = z.enum(['related', 'duplicate', 'blocks']);
export type LinkKind = z.output<typeof linkKind>;
/** What a user does with a ticket at the moment. */
export const presenceState = z.enum(['viewing', 'typing', 'gone']);

export const requestTypeKind = z.enum(['request-type', 'collection']);
export const customFieldType = z.enum([
  'TEXT',
  'TEXT_AREA',
  'NUMBER',
  'DATE',
  'TIME',
  'DATETIME',
  'BOOLEAN',
  'SELECT',
  'MULTI_SELECT',
  'USER_SELECT',
  'USER_MULTI_SELECT',
  'TAG_SELECT',
  'PRIORITY_SELECT',
  'STATUS_SELECT',
  'FILE_PICKER',
  'HEADING',
  'DIVIDER',
  'TEXT_BLOCK',
]);
export type CustomFieldType = z.output<typeof customFieldType>;

/** The ticket's own field that a request type's custom field fills. */
export const ticketField = z.enum([
  'TITLE',
  'DESCRIPTION',
  'STATUS',
  'PRIORITY',
  'REQUESTER',
  'ASSIGNEE',
  'APPROVERS',
  'FOLLOWERS',
  'DUE_DATE',
]);
export type TicketField = z.output<typeof ticketField>;

export const workflowState = z.enum(['Active', 'Draft', 'Deprovisioning', 'Deleted']);
/** The state of a run of a workflow: `failed` waits for a person. */
export const runState = z.enum(['running', 'waiting', 'failed', 'finished', 'stopped']);
/** The state of a step of a run: `unreached` if no connection leads to it any more. */
export const runStepState = z.enum(['pending', 'waiting', 'done', 'failed', 'skipped', 'unreached']);
export const applicationStatus = z.enum(['ACTIVE', 'INACTIVE']);
export const approvalStrategy = z.enum(['All', 'Any', 'Majority']);
export const actionType = z.enum(['Action', 'Activity', 'Conditional', 'Trigger']);
export const stepFieldType = z.enum([
  'text',
  'textarea',
  'select',
  'multiselect',
  'user',
  'checkbox',
  'number',
  'tags',
  'datetime',
  'emoji',
  'richtexteditor',
]);
export const resourceType = z.enum([
  'organization',
  'workspace',
  'queue',
  'ticket',
  'priority',
  'status',
  'user',
  'tag',
  'application',
  'request-type',
  'agent',
  'custom-field',
  'chat-channel',
  'chat-user',
]);

/** The permissions of a key: each role includes those before it (docs/api.md, Conventions). */
export const role = z.enum(['read', 'agent', 'admin']);
export type Role = z.output<typeof role>;

/** The permissions of a signed-in person: each role includes those before it. */
export const personRole = z.enum(['requester', 'agent', 'admin']);
export type PersonRole = z.output<typeof personRole>;

/** The system statuses' groups, in their order (specification, States and transitions). */
export const STATUS_GROUPS = ['Open', 'In Progress', 'Waiting', 'Done', 'Closed'] as const;
