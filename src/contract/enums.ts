import { z } from 'zod';

// The values of docs/decisions.md, Tickets, Enumerations. Our service sends and takes exactly these; our client
// takes any other string as well (tolerant.ts).

export const priority = z.enum(['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY']);
export type Priority = z.output<typeof priority>;

/** Where a ticket or a message came from. */
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

/** A status group in the words of `children[].legacyStatus`. */
export const legacyStatus = z.enum(['OPEN', 'IN_PROGRESS', 'PENDING', 'RESOLVED', 'CLOSED']);

/** What a chat thread, or a linked chat channel, is for. */
export const chatType = z.enum(['DM', 'PERSONAL_DM', 'REQUEST', 'TRIAGE', 'GROUP', 'ASSISTANT', 'OTHER']);

export const messageStatus = z.enum(['CREATED', 'EDITED', 'DELETED']);
export const respondOnMessage = z.enum(['all-messages', 'channel-messages', 'no-messages']);
export const responseType = z.enum(['default', 'thin']);
export const sortDirection = z.enum(['asc', 'desc']);
export const webhookEventType = z.enum(['Ticket', 'Message']);
export const approvalDecision = z.enum(['approved', 'declined']);

/** What a key may do: each role includes those before it (docs/decisions.md, API keys). */
export const role = z.enum(['read', 'agent', 'admin']);
export type Role = z.output<typeof role>;

/** The system statuses' groups, in their order (specification, States and transitions). */
export const STATUS_GROUPS = ['Open', 'In Progress', 'Waiting', 'Done', 'Closed'] as const;
