import { type Client, workspaceIdsOf } from '../client/index.ts';

/** A list of every workspace that the key can access, one workspace after the other. */
function everywhere(
  name: WorkspaceList,
  query: Record<string, boolean> = {},
): (service: Client) => AsyncGenerator<{ id: string }> {
  return async function* (service) {
    for (const workspaceId of await workspaceIdsOf(service))
      yield* service.all(name, { query: { ...query, workspaceId } });
  };
}

type WorkspaceList =
  | 'listStatuses'
  | 'listTags'
  | 'listUsers'
  | 'listCustomFields'
  | 'listForms'
  | 'listRequestTypes'
  | 'listApplications'
  | 'listWorkflows'
  | 'listPersonalities'
  | 'listAgents'
  | 'listKnowledgeBases'
  | 'listTickets'
  | 'listTicketMessages'
  | 'listAuditEntries';

const knowledgeBases = everywhere('listKnowledgeBases');

/**
 * What an export holds, by the name of its file. API keys and webhooks are left out, since they and their addresses are
 * secrets; so is what is told elsewhere in it.
 */
export const EXPORTED: Record<string, (service: Client) => AsyncIterable<object>> = {
  workspaces: (service) => service.all('listWorkspaces', {}),
  queues: (service) => service.all('listQueues', {}),
  statuses: everywhere('listStatuses'),
  tags: everywhere('listTags'),
  users: everywhere('listUsers'),
  'custom-fields': everywhere('listCustomFields'),
  forms: everywhere('listForms'),
  'request-types': everywhere('listRequestTypes'),
  applications: everywhere('listApplications'),
  workflows: everywhere('listWorkflows'),
  personalities: everywhere('listPersonalities'),
  agents: everywhere('listAgents'),
  'knowledge-bases': knowledgeBases,
  'knowledge-base-documents': async function* (service) {
    for await (const { id } of knowledgeBases(service))
      yield* service.all('listKnowledgeBaseDocuments', { params: { id } });
  },
  tickets: everywhere('listTickets', { includeUnpublished: true, includeArchived: true }),
  'ticket-messages': everywhere('listTicketMessages'),
  'audit-entries': everywhere('listAuditEntries'),
};
