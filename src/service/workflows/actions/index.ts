import type { Action } from './action.ts';
import { approvalActions } from './approvals.ts';
import { chatActions } from './chat.ts';
import { conditionActions } from './conditions.ts';
import { messageActions } from './messages.ts';
import { ticketActions } from './tickets.ts';
import { waitActions } from './waits.ts';
import { workflowActions } from './workflows.ts';

/** What the steps of workflows do, by the names of the catalogue. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  ...ticketActions,
  ...messageActions,
  ...approvalActions,
  ...chatActions,
  ...waitActions,
  ...conditionActions,
  ...workflowActions,
};
