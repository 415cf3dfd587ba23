import { apiKey, apiKeyCreate, apiKeyList, apiKeyListQuery, createdApiKey } from '../api-key.ts';
import { auditEntryList, auditEntryListQuery } from '../audit-entry.ts';
import { idParams } from '../fields.ts';
import { route } from '../route.ts';
import { user, userCreate, userList, userListQuery } from '../user.ts';

/** People, keys, and what was done by none of them. */
export const accessRoutes = {
  listUsers: route({
    method: 'GET',
    path: '/users',
    role: 'read',
    ext: false,
    summary: 'List users',
    query: userListQuery,
    answer: userList,
  }),
  readUser: route({
    method: 'GET',
    path: '/users/{id}',
    role: 'read',
    ext: false,
    summary: 'Read a user',
    params: idParams,
    answer: user,
    errors: ['NOT_FOUND'],
  }),
  createUser: route({
    method: 'POST',
    path: '/users',
    role: 'agent',
    ext: true,
    summary: 'Create a user; a known e-mail or chat account answers that user, updated',
    body: userCreate,
    answer: user,
    errors: ['CONFLICT'],
  }),
  listApiKeys: route({
    method: 'GET',
    path: '/api-keys',
    role: 'admin',
    ext: true,
    summary: 'List API keys, never the keys themselves',
    query: apiKeyListQuery,
    answer: apiKeyList,
  }),
  createApiKey: route({
    method: 'POST',
    path: '/api-keys',
    role: 'admin',
    ext: true,
    summary: 'Create an API key; this answer is the only one that shows it',
    body: apiKeyCreate,
    answer: createdApiKey,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
  revokeApiKey: route({
    method: 'DELETE',
    path: '/api-keys/{id}',
    role: 'admin',
    ext: true,
    summary: 'Revoke an API key, at once',
    params: idParams,
    answer: apiKey,
    errors: ['NOT_FOUND'],
  }),
  listAuditEntries: route({
    method: 'GET',
    path: '/audit-entries',
    role: 'admin',
    ext: true,
    summary: 'List what the service did of its own accord',
    query: auditEntryListQuery,
    answer: auditEntryList,
  }),
};
