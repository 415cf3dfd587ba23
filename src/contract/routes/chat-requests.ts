import { chatRequest, chatRequestAnswer, chatRequestList, chatRequestListQuery } from '../chat-request.ts';
import { idParams } from '../fields.ts';
import { route } from '../route.ts';

/** What workflows ask to be written in chat; the bridge does it. */
export const chatRequestRoutes = {
  listChatRequests: route({
    method: 'GET',
    path: '/chat-requests',
    role: 'agent',
    person: null,
    ext: true,
    summary: 'List what workflows ask to be written in chat; of the last day',
    query: chatRequestListQuery,
    answer: chatRequestList,
  }),
  answerChatRequest: route({
    method: 'PUT',
    path: '/chat-requests/{id}',
    role: 'agent',
    person: null,
    ext: true,
    summary: 'Say what became of what a workflow asks to be written in chat',
    params: idParams,
    body: chatRequestAnswer,
    answer: chatRequest,
    errors: ['NOT_FOUND'],
  }),
};
