import { type Client, workspaceIdsOf } from '../client/index.ts';

/** Returns a list over every workspace that the key can access, one after the other. */
function inEveryWorkspace(
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

const knowledgeBases = inEveryWorkspace('listKnowledgeBases');
const workflows = inEveryWorkspace('listWorkflows');

/**
 * The contents of an export, by file name. API keys and webhooks are left out because they and their URLs are secrets;
 * so is what other files of the export already contain.
 */
export const EXPORTED: Record<string, (service: Client) => AsyncIterable<object>> = {
  workspaces: (service) => service.all('listWorkspaces', {}),
  queues: (service) => service.all('listQueues', {}),
  'business-hours': inEveryWorkspace('listBusinessHours'),
  statuses: inEveryWorkspace('listStatuses'),
  tags: inEveryWorkspace('listTags'),
  users: inEveryWorkspace('listUsers'),
  absences: inEveryWorkspace('listAbsences'),
  'custom-fields': inEveryWorkspace('listCustomFields'),
  forms: inEveryWorkspace('listForms'),
  'request-types': inEveryWorkspace('listRequestTypes'),
  applications: inEveryWorkspace('listApplications'),
  workflows,
  'workflow-versions': async function* (service) {
    for await (const { id } of workflows(service))
      yield* (await service.listWorkflowVersions({ params: { id } })).items;
  },
  'workflow-runs': inEveryWorkspace('listWorkflowRuns'),
  personalities: inEveryWorkspace('listPersonalities'),
  agents: inEveryWorkspace('listAgents'),
  'knowledge-bases': knowledgeBases,
  'knowledge-base-documents': async function* (service) {
    for await (const { id } of knowledgeBases(service))
      yield* service.all('listKnowledgeBaseDocuments', { params: { id } });
  },
  tickets: inEveryWorkspace('listTickets', { includeUnpublished: true, includeArchived: true }),
  'ticket-messages': inEveryWorkspace('listTicketMessages'),
  views: inEveryWorkspace('listViews', { includePersonal: true }),
  'canned-replies': inEveryWorkspace('listCannedReplies', { includePersonal: true }),
  files: inEveryWorkspace('listFiles'),
  'audit-entries': inEveryWorkspace('listAuditEntries'),
};
