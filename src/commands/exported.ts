import { type Client, workspaceIdsOf } from '../client/index.ts';

/** Returns a list over every workspace that the key can access, one after the other. */
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
  | 'listBusinessHours'
  | 'listUsers'
  | 'listAbsences'
  | 'listCustomFields'
  | 'listForms'
  | 'listRequestTypes'
  | 'listApplications'
  | 'listWorkflows'
  | 'listWorkflowRuns'
  | 'listPersonalities'
  | 'listAgents'
  | 'listKnowledgeBases'
  | 'listTickets'
  | 'listTicketMessages'
  | 'listViews'
  | 'listCannedReplies'
  | 'listFiles'
  | 'listAuditEntries';

const knowledgeBases = everywhere('listKnowledgeBases');
const workflows = everywhere('listWorkflows');

/**
 * The contents of an export, by file name. API keys and webhooks are left out because they and their URLs are secrets;
 * so is what other files of the export already contain.
 */
export const EXPORTED: Record<string, (service: Client) => AsyncIterable<object>> = {
  workspaces: (service) => service.all('listWorkspaces', {}),
  queues: (service) => service.all('listQueues', {}),
  'business-hours': everywhere('listBusinessHours'),
  statuses: everywhere('listStatuses'),
  tags: everywhere('listTags'),
  users: everywhere('listUsers'),
  absences: everywhere('listAbsences'),
  'custom-fields': everywhere('listCustomFields'),
  forms: everywhere('listForms'),
  'request-types': everywhere('listRequestTypes'),
  applications: everywhere('listApplications'),
  workflows,
  'workflow-versions': async function* (service) {
    for await (const { id } of workflows(service))
      yield* (await service.listWorkflowVersions({ params: { id } })).items;
  },
  'workflow-runs': everywhere('listWorkflowRuns'),
  personalities: everywhere('listPersonalities'),
  agents: everywhere('listAgents'),
  'knowledge-bases': knowledgeBases,
  'knowledge-base-documents': async function* (service) {
    for await (const { id } of knowledgeBases(service))
      yield* service.all('listKnowledgeBaseDocuments', { params: { id } });
  },
  tickets: everywhere('listTickets', { includeUnpublished: true, includeArchived: true }),
  'ticket-messages': everywhere('listTicketMessages'),
  views: everywhere('listViews', { includePersonal: true }),
  'canned-replies': everywhere('listCannedReplies', { includePersonal: true }),
  files: everywhere('listFiles'),
  'audit-entries': everywhere('listAuditEntries'),
};
