// What the service does beside answering requests, as work of the engine (docs/architecture.md, Engine): its classes. The
// kinds of work stand where they are done.

import type { Done as EngineDone, Engine, PlanningTx, Work as EngineWork } from '../platform/engine/index.ts';
import type { Tables } from './schema/tables.ts';

export type ServiceEngine = Engine<Tables>;
/** A transaction that plans work, too. */
export type ServicePlanningTx = PlanningTx<Tables>;
export type Work<Body> = EngineWork<Body, Tables>;
export type Done = EngineDone<Tables>;

/** The classes of work: each has slots of its own in a process, so that nothing slow keeps what is quick waiting. */
export const CLASSES = {
  /** Attempts that are due to deliver an event to a webhook. */
  webhook: 'webhook',
  /** Deliveries to webhooks that serve chat: other webhooks cannot delay chat messages. */
  chatWebhook: 'webhook-chat',
  /** Attempts that wait for their time. */
  webhookRetry: 'webhook-retry',
  /** Tickets about webhooks that were switched off. */
  webhookNotice: 'webhook-notice',
  /** Questions to the AI agents. */
  answer: 'answer',
  /** Vectors of texts, for the search by meaning. */
  embedding: 'embedding',
  /** The index of all words is made anew. */
  searchIndex: 'search-index',
  /** Copies of an erased person's name. */
  erasure: 'erasure',
  /** Due times of open tickets, after a change of targets or hours. */
  dueTimes: 'due-times',
  /** Changes that start workflows, or that their runs wait for. */
  workflowEvent: 'workflow-event',
  /** Steps of workflows. */
  workflowStep: 'workflow-step',
  /** Waits of workflows. */
  workflowTimer: 'workflow-timer',
  /** Runs of workflows that were deleted or are about to end. */
  workflowUpkeep: 'workflow-upkeep',
} as const;

/** How many lanes of each class a process works at once: of the first three and of answers, most is waiting for others. */
export const SLOTS: Readonly<Record<string, number>> = {
  [CLASSES.webhook]: 32,
  [CLASSES.chatWebhook]: 24,
  [CLASSES.webhookRetry]: 4,
  [CLASSES.webhookNotice]: 1,
  [CLASSES.answer]: 4,
  [CLASSES.embedding]: 3,
  [CLASSES.searchIndex]: 1,
  [CLASSES.erasure]: 1,
  [CLASSES.dueTimes]: 1,
  [CLASSES.workflowEvent]: 2,
  [CLASSES.workflowStep]: 3,
  [CLASSES.workflowTimer]: 1,
  [CLASSES.workflowUpkeep]: 1,
};
