import type { Client } from '../client/index.ts';

/**
 * What an export holds, by the name of its file. API keys and webhooks are left out, since they and their addresses are
 * secrets; so is what is told elsewhere in it.
 */
export const EXPORTED: Record<string, (service: Client) => AsyncIterable<object>> = {
  workspaces: (service) => service.all('listWorkspaces', {}),
  queues: (service) => service.all('listQueues', {}),
  statuses: (service) => service.all('listStatuses', {}),
  tags: (service) => service.all('listTags', {}),
  users: (service) => service.all('listUsers', {}),
  'custom-fields': (service) => service.all('listCustomFields', {}),
  forms: (service) => service.all('listForms', {}),
  'request-types': (service) => service.all('listRequestTypes', {}),
  applications: (service) => service.all('listApplications', {}),
  workflows: (service) => service.all('listWorkflows', {}),
  personalities: (service) => service.all('listPersonalities', {}),
  agents: (service) => service.all('listAgents', {}),
  'knowledge-bases': (service) => service.all('listKnowledgeBases', {}),
  'knowledge-base-documents': async function* (service) {
    for await (const { id } of service.all('listKnowledgeBases', {}))
      yield* service.all('listKnowledgeBaseDocuments', { params: { id } });
  },
  tickets: (service) =>
    service.all('listTickets', { query: { includeUnpublished: true, includeArchived: true } }),
  'ticket-messages': (service) => service.all('listTicketMessages', {}),
  'audit-entries': (service) => service.all('listAuditEntries', {}),
};
