import type { RouteName } from '../contract/index.ts';

/** The operations that the page uses, by its parts; the desk offers no others. */
const BY_PART = {
  tickets: [
    'listTickets',
    'semanticSearch',
    'readTicket',
    'createTicket',
    'updateTicket',
    'claimTicket',
    'listTicketMessages',
    'createTicketMessage',
    'listTicketFiles',
    'deleteFile',
  ],
  choices: ['listUsers', 'listQueues', 'listStatuses', 'listTags', 'listForms', 'listCustomFields'],
  queues: ['listQueues', 'createQueue', 'updateQueue', 'listWorkspaces'],
  channels: ['listWorkspaces', 'updateWorkspace', 'linkChatChannel', 'unlinkChatChannel'],
  statuses: ['listStatuses', 'createStatus', 'updateStatus', 'deleteStatus'],
  analytics: ['listWorkspaces', 'previewMetric', 'previewTrend'],
  'request-types': [
    'listRequestTypes',
    'listForms',
    'saveRequestType',
    'deleteRequestType',
    'listCustomFields',
    'createCustomField',
    'updateCustomField',
    'listWorkspaces',
  ],
  people: ['listUsers', 'createUser', 'updateUser'],
  sessions: ['listSessions', 'endSession'],
  'audit-log': ['listAuditEntries', 'listApiKeys'],
  agents: [
    'listAgents',
    'saveAgent',
    'deleteAgent',
    'listPersonalities',
    'listKnowledgeBases',
    'listRequestTypes',
    'listWorkspaces',
  ],
  personalities: ['listPersonalities', 'savePersonality', 'deletePersonality'],
  knowledge: [
    'listKnowledgeBases',
    'saveKnowledgeBase',
    'deleteKnowledgeBase',
    'listKnowledgeBaseDocuments',
    'createKnowledgeBaseDocument',
    'deleteKnowledgeBaseDocument',
  ],
  'api-keys': ['listApiKeys', 'createApiKey', 'revokeApiKey'],
  webhooks: [
    'listWebhooks',
    'createWebhook',
    'updateWebhook',
    'deleteWebhook',
    'pingWebhook',
    'listDeliveries',
    'redeliver',
  ],
} as const satisfies Record<string, readonly RouteName[]>;

export type Offered = (typeof BY_PART)[keyof typeof BY_PART][number];

/** Each once, even if several parts use it. */
export const OFFERED: readonly Offered[] = [...new Set(Object.values(BY_PART).flat())];
