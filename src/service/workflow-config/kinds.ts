import { z } from 'zod';

import { type NewWork, workFor, workKind } from '../../platform/engine/index.ts';
import { CLASSES } from '../work.ts';

/** The event that a trigger reacts to. */
export const TRIGGER_EVENTS = [
  'ticket.created',
  'ticket.updated',
  'ticket.rated',
  'ticket.due-soon',
  'ticket.overdue',
  'message.created',
  'approval.decided',
] as const;
export type TriggerEvent = (typeof TRIGGER_EVENTS)[number];

/** The triggers by time. */
export const TIME_TRIGGERS = ['ticket.idle', 'schedule.due'] as const;
export type TimeTrigger = (typeof TIME_TRIGGERS)[number];

/** The fields of a ticket whose old and new value a trigger may ask for: no texts, which an erasure would have to find. */
export const COMPARED = [
  'statusId',
  'priority',
  'assigneeId',
  'queueId',
  'requestTypeId',
  'requesterId',
  'parentId',
  'private',
  'dueAt',
  'snoozeUntil',
] as const;

/** Runs are not started by what ten others led to: so every chain ends. */
export const LONGEST_CHAIN = 10;
/** Why a run was not started. */
export const CHAIN_ENDS = `${LONGEST_CHAIN} runs led to this one, so the chain ends here and it was not started. Look at what starts what, then activate the workflow again.`;

/** The runs that led to a change: the workflows of each, the first one first. */
const Chain = z.array(z.string()).max(LONGEST_CHAIN);

/**
 * A change that starts runs, or that runs wait for. It holds ids and no texts: what a trigger looks at besides is read when
 * it is worked.
 */
const EventBody = z.object({
  workspaceId: z.string(),
  eventId: z.string(),
  /** When it happened. */
  at: z.string(),
  /** The number of the last activation of a workflow before it: none that was activated later starts. */
  activation: z.number(),
  events: z.array(z.enum(TRIGGER_EVENTS)),
  ticketId: z.string(),
  /** Its parent, and its former one if that changed. */
  parentIds: z.array(z.string()),
  messageId: z.string().nullable(),
  /** The fields that changed. */
  fields: z.array(z.string()),
  /** Old and new value of those that hold ids, choices and instants: `COMPARED`. */
  values: z.record(z.string(), z.tuple([z.string().nullable(), z.string().nullable()])).default({}),
  chain: Chain,
});
export type ChangeEvent = z.infer<typeof EventBody>;

const StepBody = z.object({
  workspaceId: z.string(),
  runId: z.string(),
  stepId: z.string(),
  /** The message that a waiting step is to look at. */
  messageId: z.string().nullable(),
});
export type StepWork = z.infer<typeof StepBody>;

const TimerBody = z.object({ workspaceId: z.string(), runId: z.string(), stepId: z.string() });
export type Timer = z.infer<typeof TimerBody>;

const ClockBody = z.object({ workspaceId: z.string(), workflowId: z.string(), stepId: z.string() });
/** A trigger by time. */
export type Clock = z.infer<typeof ClockBody>;

const IdleBody = ClockBody.extend({ ticketId: z.string(), since: z.string() });
/** A ticket for which a trigger has counted its time to the end, since an instant. */
export type Idle = z.infer<typeof IdleBody>;

const UpkeepBody = z.object({ workspaceId: z.string(), workflowId: z.string() });
export type Upkeep = z.infer<typeof UpkeepBody>;

/** Changes of one ticket, in their order. */
export const EVENT = workKind('workflow-event', CLASSES.workflowEvent, EventBody);
/** Steps of one run, one after the other. */
export const STEP = workKind('workflow-step', CLASSES.workflowStep, StepBody);
/** A step that waits for an instant has a lane of its own: nothing else of its run waits behind it. */
export const TIMER = workKind('workflow-timer', CLASSES.workflowTimer, TimerBody);
/** A trigger by time is looked at, again and again. */
export const CLOCK = workKind('workflow-clock', CLASSES.workflowTimer, ClockBody);
/** In the lane of its ticket: behind the changes that came before. */
export const IDLE = workKind('workflow-idle', CLASSES.workflowEvent, IdleBody);
/** Updates the runs of a workflow whose state changed, and the workflow whose runs ended. */
export const UPKEEP = workKind('workflow-upkeep', CLASSES.workflowUpkeep, UpkeepBody);

export function eventWork(event: ChangeEvent): NewWork {
  return workFor(EVENT, event.ticketId, event);
}

export function stepWork({ messageId = null, ...step }: Timer & { messageId?: string | null }): NewWork {
  return workFor(STEP, step.runId, { ...step, messageId });
}

/** @param delayMs milliseconds until it is due. */
export function timerWork(timer: Timer, delayMs: number): NewWork {
  const key = `${timer.runId} ${timer.stepId}`;
  return workFor(TIMER, key, timer, { mergeKey: `timer ${key}`, delayMs });
}

/** @param delayMs milliseconds until it is due. */
export function clockWork({ workspaceId, workflowId, stepId }: Clock, delayMs = 0): NewWork {
  const key = `${workflowId} ${stepId}`;
  return workFor(CLOCK, key, { workspaceId, workflowId, stepId }, { mergeKey: `clock ${key}`, delayMs });
}

export function idleWork(idle: Idle): NewWork {
  return workFor(IDLE, idle.ticketId, idle);
}

export function upkeepWork(upkeep: Upkeep): NewWork {
  return workFor(UPKEEP, upkeep.workflowId, upkeep);
}
