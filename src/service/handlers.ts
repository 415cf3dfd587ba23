import { absenceHandlers } from './absences/handlers.ts';
import { agentHandlers } from './agents/handlers.ts';
import { analyticsHandlers } from './analytics/handlers.ts';
import { applicationHandlers } from './applications/handlers.ts';
import { auditHandlers } from './audit/handlers.ts';
import { businessHoursHandlers } from './business-hours/handlers.ts';
import { chatTeamHandlers } from './chat-teams/handlers.ts';
import { customFieldHandlers } from './custom-fields/handlers.ts';
import { erasureHandlers } from './erasure/handlers.ts';
import { fileHandlers } from './files/handlers.ts';
import type { Handlers, Tools } from './handler.ts';
import { identityHandlers } from './identities/handlers.ts';
import { keyHandlers } from './keys/handlers.ts';
import { documentHandlers } from './knowledge-bases/documents.ts';
import { knowledgeBaseHandlers } from './knowledge-bases/handlers.ts';
import { messageHandlers } from './messages/handlers.ts';
import { connectionHandlers } from './oauth/handlers.ts';
import { notificationHandlers } from './notifications/handlers.ts';
import { personalityHandlers } from './personalities/handlers.ts';
import { queueHandlers } from './queues/handlers.ts';
import { reactionHandlers } from './reactions/handlers.ts';
import { requestTypeHandlers } from './request-types/handlers.ts';
import { cannedReplyHandlers } from './saved/canned-replies.ts';
import { draftHandlers } from './saved/drafts.ts';
import { replyDraftHandlers } from './saved/reply-drafts.ts';
import { viewHandlers } from './saved/views.ts';
import { scheduledReplyHandlers } from './scheduled-replies/handlers.ts';
import type { Embeddings } from './search/embeddings.ts';
import { statusHandlers } from './statuses/handlers.ts';
import { tagHandlers } from './tags/handlers.ts';
import { chatRequestHandlers } from './chat-requests/handlers.ts';
import { targetReportHandlers } from './target-report/handlers.ts';
import { ticketHandlers } from './ticket-operations/handlers.ts';
import { markReadHandlers } from './ticket-operations/mark-read.ts';
import { searchHandlers } from './ticket-operations/search-handlers.ts';
import { sharedTicketHandlers } from './ticket-operations/shared-handlers.ts';
import { userHandlers } from './users/handlers.ts';
import { sessionHandlers } from './users/session-handlers.ts';
import { warningHandlers } from './warnings/handlers.ts';
import { deliveryHandlers } from './webhooks/delivery-handlers.ts';
import { webhookHandlers } from './webhooks/handlers.ts';
import { workflowConfigHandlers } from './workflows/config-handlers.ts';
import { workflowHandlers } from './workflows/handlers.ts';
import { workflowRunHandlers } from './workflows/run-handlers.ts';
import { workspaceHandlers } from './workspaces/handlers.ts';

/** Creates the handlers of all operations; the compiler checks that none is missing. */
export function createHandlers(tools: Tools, embeddings: Embeddings): Handlers {
  return {
    ...ticketHandlers(tools),
    ...viewHandlers(tools),
    ...cannedReplyHandlers(tools),
    ...draftHandlers,
    ...replyDraftHandlers(tools),
    ...sharedTicketHandlers(tools),
    ...searchHandlers(embeddings),
    ...analyticsHandlers,
    ...messageHandlers(tools),
    ...reactionHandlers(tools),
    ...scheduledReplyHandlers(tools),
    ...notificationHandlers,
    ...markReadHandlers,
    ...warningHandlers,
    ...targetReportHandlers,
    ...fileHandlers(tools),
    ...workspaceHandlers(tools),
    ...queueHandlers(tools),
    ...businessHoursHandlers(tools),
    ...statusHandlers(tools),
    ...userHandlers(tools),
    ...erasureHandlers(tools),
    ...identityHandlers(tools),
    ...chatTeamHandlers,
    ...requestTypeHandlers(tools),
    ...customFieldHandlers(tools),
    ...tagHandlers(tools),
    ...agentHandlers(tools),
    ...applicationHandlers,
    ...workflowHandlers(tools),
    ...workflowRunHandlers(tools),
    ...workflowConfigHandlers,
    ...chatRequestHandlers,
    ...personalityHandlers(tools),
    ...knowledgeBaseHandlers(tools),
    ...documentHandlers(tools),
    ...keyHandlers(tools),
    ...sessionHandlers,
    ...connectionHandlers,
    ...absenceHandlers(tools),
    ...auditHandlers(tools),
    ...webhookHandlers(tools),
    ...deliveryHandlers(tools),
  };
}
