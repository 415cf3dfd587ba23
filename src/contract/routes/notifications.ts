import { z } from 'zod';

import { idParams, inWorkspace } from '../fields.ts';
import {
  notificationCount,
  notificationList,
  notificationListQuery,
  notificationsRead,
  ticketSeen,
} from '../notification.ts';
import { route } from '../route.ts';

/** The inbox of the signed-in person, and what they have seen. */
export const notificationRoutes = {
  listNotifications: route({
    method: 'GET',
    path: '/notifications',
    role: 'read',
    person: 'requester',
    ext: true,
    summary: 'List what concerns the signed-in person, newest first',
    query: notificationListQuery,
    answer: notificationList,
  }),
  countNotifications: route({
    method: 'GET',
    path: '/notifications/count',
    role: 'read',
    person: 'requester',
    ext: true,
    summary: 'Count the signed-in person’s unread notifications',
    answer: notificationCount,
  }),
  readNotifications: route({
    method: 'POST',
    path: '/notifications/read',
    role: 'agent',
    person: 'requester',
    ext: true,
    summary: 'Mark notifications as read: some, all, or those of a ticket',
    body: notificationsRead,
    answer: notificationCount,
  }),
  markTicketRead: route({
    method: 'PUT',
    path: '/tickets/{id}/read',
    role: 'agent',
    person: 'requester',
    ext: true,
    summary: 'Record that the signed-in person has seen the ticket, with its notifications',
    params: idParams,
    query: inWorkspace,
    body: z.object({}),
    answer: ticketSeen,
    errors: ['NOT_FOUND'],
  }),
};
