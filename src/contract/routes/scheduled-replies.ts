import { idParams } from '../fields.ts';
import { route } from '../route.ts';
import {
  scheduledReply,
  scheduledReplyCreate,
  scheduledReplyList,
  scheduledReplyListQuery,
  scheduledReplyUpdate,
} from '../scheduled-reply.ts';

export const scheduledReplyRoutes = {
  listScheduledReplies: route({
    method: 'GET',
    path: '/scheduled-replies',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'List replies that are not sent yet: one’s own, and those on tickets of one’s team',
    query: scheduledReplyListQuery,
    answer: scheduledReplyList,
  }),
  createScheduledReply: route({
    method: 'POST',
    path: '/scheduled-replies',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Schedule a reply of the signed-in person',
    body: scheduledReplyCreate,
    answer: scheduledReply,
    errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT'],
  }),
  updateScheduledReply: route({
    method: 'PUT',
    path: '/scheduled-replies/{id}',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Change the text or the time of a scheduled reply, as its author',
    params: idParams,
    body: scheduledReplyUpdate,
    answer: scheduledReply,
    errors: ['NOT_FOUND'],
  }),
  deleteScheduledReply: route({
    method: 'DELETE',
    path: '/scheduled-replies/{id}',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Delete a scheduled reply, as its author or an admin; 404 once it was sent',
    audit: 'own',
    params: idParams,
    answer: scheduledReply,
    errors: ['NOT_FOUND'],
  }),
};
