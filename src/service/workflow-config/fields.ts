import type { FieldDescriptor } from '../../contract/index.ts';

/** Halves of a form's row. */
const FULL = 2;
const HALF = 1;

type More = Partial<Pick<FieldDescriptor, 'placeholder' | 'span' | 'type' | 'resourceType'>>;

/** Returns one input or output of an action; by default a text line with full width. */
export function field(key: string, label: string, more: More = {}): FieldDescriptor {
  return { label, key, placeholder: null, span: FULL, type: 'text', resourceType: null, ...more };
}

const half = { span: HALF } as const;

/** Fields that several actions share. */
export const FIELDS = {
  ticket: field('ticketId', 'Ticket', { type: 'select', resourceType: 'ticket' }),
  message: field('messageId', 'Message'),
  user: field('userId', 'User', { type: 'user', resourceType: 'user' }),
  assignee: field('assigneeId', 'Assignee', { ...half, type: 'user', resourceType: 'user' }),
  requester: field('requesterId', 'Requester', { ...half, type: 'user', resourceType: 'user' }),
  approvers: field('approverIds', 'Approvers', { type: 'multiselect', resourceType: 'user' }),
  queue: field('queueId', 'Queue', { ...half, type: 'select', resourceType: 'queue' }),
  status: field('statusId', 'Status', { ...half, type: 'select', resourceType: 'status' }),
  priority: field('priority', 'Priority', { ...half, type: 'select', resourceType: 'priority' }),
  requestType: field('requestTypeId', 'Request type', {
    ...half,
    type: 'select',
    resourceType: 'request-type',
  }),
  tags: field('tagIds', 'Tags', { type: 'tags', resourceType: 'tag' }),
  title: field('title', 'Title', { placeholder: 'What is it about?' }),
  description: field('description', 'Description', { type: 'richtexteditor' }),
  content: field('content', 'Text', { type: 'richtexteditor', placeholder: 'What shall be said?' }),
  channel: field('channelId', 'Channel', { type: 'select', resourceType: 'chat-channel' }),
  reason: field('reason', 'Reason', { type: 'textarea' }),
} as const;
