import { apiKey, apiKeyCreate, apiKeyList, apiKeyListQuery, createdApiKey } from '../api-key.ts';
import { auditEntry, auditEntryCreate, auditEntryList, auditEntryListQuery } from '../audit-entry.ts';
import { idParams } from '../fields.ts';
import { route } from '../route.ts';
import { user, userCreate, userList, userListQuery } from '../user.ts';

/** Users, API keys and the audit log. */
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
    summary: 'Create a user; if the e-mail address or chat account exists, update and return that user',
    body: userCreate,
    answer: user,
    errors: ['CONFLICT'],
  }),
  listApiKeys: route({
    method: 'GET',
    path: '/api-keys',
    role: 'admin',
    ext: true,
    summary: 'List API keys, without the keys themselves',
    query: apiKeyListQuery,
    answer: apiKeyList,
  }),
  createApiKey: route({
    method: 'POST',
    path: '/api-keys',
    role: 'admin',
    ext: true,
    summary: 'Create an API key; only this response contains it',
    audit: 'api-key.created',
    body: apiKeyCreate,
    answer: createdApiKey,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
  revokeApiKey: route({
    method: 'DELETE',
    path: '/api-keys/{id}',
    role: 'admin',
    ext: true,
    summary: 'Revoke an API key immediately',
    audit: 'api-key.revoked',
    params: idParams,
    answer: apiKey,
    errors: ['NOT_FOUND'],
  }),
  listAuditEntries: route({
    method: 'GET',
    path: '/audit-entries',
    role: 'admin',
    ext: true,
    summary: 'List the audit log: who did what, and when',
    query: auditEntryListQuery,
    answer: auditEntryList,
  }),
  createAuditEntry: route({
    method: 'POST',
    path: '/audit-entries',
    role: 'admin',
    ext: true,
    summary: 'Record in the audit log that records are exported',
    audit: 'own',
    body: auditEntryCreate,
    answer: auditEntry,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
};
