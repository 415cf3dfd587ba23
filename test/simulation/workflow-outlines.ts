import { otherwise, when, type WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import type { Chance } from './chance.ts';

/** The records that steps name. */
export interface Named {
  tagIds: readonly string[];
  /** Of linked channels: their own ids, not those of chat. */
  channelIds: readonly string[];
  userIds: readonly string[];
  /** Workflows that are run by hand, and by steps of others. */
  workflowIds: readonly string[];
}

/** What starts a workflow. */
export const STARTS = {
  /** A person who runs it on a ticket, or another workflow. */
  'by hand': 2,
  'a reply of the requester': 3,
  'a reply of the team': 2,
  'a new title': 2,
  'a change of anything': 1,
  'a new ticket': 1,
} as const;
export type Start = keyof typeof STARTS;

type Step = WorkflowOutline['steps'][string];
type Outline = Pick<WorkflowOutline, 'name' | 'steps' | 'leads'>;
type Lead = WorkflowOutline['leads'][number];

/** The step that starts a run. */
export const TRIGGER = 'start';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'] as const;
const MOST_STEPS = 4;
/** People see that a run goes on after it, and no seed waits long for its end. */
const LONGEST_WAIT = 3;
/** So that what two workflows do to one another goes on until their chain is as long as any may be. */
const STARTS_ITSELF = 0.4;

/** How likely each step is. What is written in chat is in the channel of many others, which get one post a second. */
const STEPS = {
  answer: 3,
  remark: 2,
  post: 2,
  letter: 1,
  tag: 2,
  priority: 2,
  wait: 3,
  'wait for a reply': 1,
  'is it urgent': 2,
  'run another': 1,
  // Only by hand, so that there are few.
  child: 1.5,
  'wait for children': 0.7,
  approval: 3,
  status: 1,
} as const;
type StepKind = keyof typeof STEPS;
const BY_HAND: readonly StepKind[] = ['child', 'wait for children', 'approval', 'status'];
/** What no workflow does that starts on its own changes: a chain of ten of them would flood chat. */
const LOUD: readonly StepKind[] = ['answer', 'remark', 'post', 'letter', 'run another'];

/** What the steps write, with their own names: nobody else writes it. */
export const WORDS = {
  answer: 'flow answers',
  remark: 'flow remarks',
  post: 'flow posts',
  letter: 'flow writes',
};

/** Draws a workflow that can be activated: what starts it, and a few steps that follow from one another. */
export function drawWorkflow(chance: Chance, name: string, start: Start, named: Named): Outline {
  const startsItself = start === 'a change of anything' && chance.happens(STARTS_ITSELF);
  const kinds = Object.entries(STEPS).filter(([kind]) => {
    if (BY_HAND.includes(kind as StepKind)) return start === 'by hand';
    if (kind === 'run another') return named.workflowIds.length > 0 && !startsItself;
    return !startsItself || !LOUD.includes(kind as StepKind);
  });
  const weights = Object.fromEntries(kinds) as Record<StepKind, number>;
  const ids: string[] = [];
  const steps: Record<string, Step> = { [TRIGGER]: triggerOf(chance, start, startsItself) };
  const leads: Lead[] = [];
  for (let at = 1, count = 1 + chance.below(MOST_STEPS); at <= count; at++) {
    const kind = chance.weighted(weights);
    const id = `${kind.replaceAll(' ', '-')}-${at}`;
    const before = ids.at(-1);
    const from = before === undefined || chance.happens(0.2) ? TRIGGER : before;
    leads.push(leadTo(chance, from, id));
    // Two ways that join.
    const other = chance.oneOf([TRIGGER, ...ids]);
    if (other !== from && chance.happens(0.2)) leads.push([other, id]);
    steps[id] = stepOf(chance, kind, `${name} ${id}`, named);
    ids.push(id);
  }
  return { name, steps, leads };
}

function triggerOf(chance: Chance, start: Start, ownChanges: boolean): Step {
  switch (start) {
    case 'by hand':
      return ['Run', 'ticket.run'];
    case 'a reply of the requester':
      return ['Reply', 'message.created', { from: 'requester' }];
    case 'a reply of the team':
      return ['Answer', 'message.created', { from: 'team' }];
    case 'a new title':
      return ['Title', 'ticket.updated', { fields: ['title'] }];
    case 'a change of anything':
      return [
        'Change',
        'ticket.updated',
        { ownChanges, ...(chance.happens(0.5) && { priority: chance.oneOf(PRIORITIES) }) },
      ];
    case 'a new ticket':
      return ['Opened', 'ticket.created', {}];
  }
}

function leadTo(chance: Chance, from: string, to: string): Lead {
  if (from.startsWith('is-it-urgent')) return chance.happens(0.3) ? [from, to, otherwise] : [from, to];
  // Goes on after a step that fails, in place of what follows from its end.
  if (from !== TRIGGER && chance.happens(0.1)) return [from, to, { failed: true }];
  if (chance.happens(0.1)) return [from, to, when('priority', 'equals', chance.oneOf(PRIORITIES))];
  return [from, to];
}

function stepOf(chance: Chance, kind: StepKind, who: string, named: Named): Step {
  const minutes = Math.ceil(chance.next() * LONGEST_WAIT * 100) / 100;
  switch (kind) {
    case 'answer':
      return ['Answer', 'message.reply', { content: `${WORDS.answer} ${who} on {{ticket.code}}` }];
    case 'remark':
      return ['Note', 'message.note', { content: `${WORDS.remark} ${who} on {{ticket.code}}` }];
    case 'post':
      return [
        'Post',
        'chat.post',
        { channelId: chance.oneOf(named.channelIds), content: `${WORDS.post} ${who} on {{ticket.code}}` },
      ];
    case 'letter':
      return [
        'Write',
        'chat.direct-message',
        { userId: chance.oneOf(named.userIds), content: `${WORDS.letter} ${who} on {{ticket.code}}` },
      ];
    case 'tag':
      return ['Tag', 'ticket.add-tags', { tagIds: [chance.oneOf(named.tagIds)] }];
    case 'priority':
      return ['Priority', 'ticket.set-priority', { priority: chance.oneOf(PRIORITIES) }];
    case 'wait':
      return ['Wait', 'wait.for', { minutes }];
    case 'wait for a reply':
      return ['Wait', 'wait.for-reply', { from: chance.oneOf(['requester', 'team']), minutes }];
    case 'is it urgent':
      return [
        'Urgent?',
        'condition.if',
        { value: '{{ticket.priority}}', condition: 'equals', expected: chance.oneOf(PRIORITIES) },
      ];
    case 'run another':
      return ['Run', 'workflow.run', { workflowId: chance.oneOf(named.workflowIds) }];
    case 'child':
      return ['Child', 'ticket.create', { title: who, parentId: '{{ticket.id}}', priority: 'LOW' }];
    case 'wait for children':
      return ['Wait', 'wait.for-children', { minutes }];
    case 'approval':
      return ['Approve?', 'approval.request', { approverIds: [chance.oneOf(named.userIds)] }];
    // What people expect of a ticket that waits or is done stays true.
    case 'status':
      return ['Status', 'ticket.set-status', { statusGroup: 'IN_PROGRESS' }];
  }
}
