import type { Action } from './action.ts';
import { approvalActions } from './approvals.ts';
import { chatActions } from './chat.ts';
import { conditionActions } from './conditions.ts';
import { messageActions } from './messages.ts';
import { searchActions } from './search.ts';
import { ticketActions } from './tickets.ts';
import { waitActions } from './waits.ts';
import { workflowActions } from './workflows.ts';

/** The implementations of workflow actions, by their names in the catalogue. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  ...ticketActions,
  ...searchActions,
  ...messageActions,
  ...approvalActions,
  ...chatActions,
  ...waitActions,
  ...conditionActions,
  ...workflowActions,
};
