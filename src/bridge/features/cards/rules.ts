import { isBlank } from '../../../contract/index.ts';
import type { Audience, Act } from '../../tickets/rules.ts';
import type { Filled } from '../../slack/interaction.ts';

/** The facts that decide whether a place gets a card of a ticket. */
export interface CardPolicyFacts {
  /** Not everyone may read it. */
  restricted: boolean;
  /** The ticket is done, so it needs no card any more. */
  ended: boolean;
  assigned: boolean;
  /** The queue's `silentMode`. */
  silent: boolean;
  /** The queue's `sendAllTicketToTriageChannel`. */
  all: boolean;
}

/**
 * Returns whether a triage channel gets a card of a ticket: of every ticket if the queue says so, else of unassigned
 * ones; of those that not everyone may read only if the channel is private (B26, B27, B28).
 */
export function wantsTriageCard(
  { restricted, ended, assigned, silent, all }: CardPolicyFacts,
  channelIsPrivate: boolean,
): boolean {
  if (silent || ended) return false;
  if (restricted && !channelIsPrivate) return false;
  return all || !assigned;
}

/**
 * Returns the users who get a private ticket's card by direct message (B27): requester, assignee, followers and
 * approvers. Its requester only if it started in chat; otherwise they are notified with the first reply (B1).
 */
export function cardReaders(
  ticket: Audience,
  { ended, silent, started }: Pick<CardPolicyFacts, 'ended' | 'silent'> & { started: boolean },
): string[] {
  if (!ticket.private || silent || ended) return [];
  const { requesterId, assigneeId, followers, approvers } = ticket;
  const named = [assigneeId, ...followers.map(({ id }) => id), ...approvers.map(({ id }) => id)];
  const others = named.filter((id) => id !== null && id !== requesterId);
  return [...new Set([started ? requesterId : null, ...others].filter((id) => id !== null))];
}

/**
 * Returns whether the card of a private ticket is what notifies its assignee (B27, B43). Users who already had a card,
 * as followers or approvers, only see it change.
 */
export function cardNotifiesAssignee(
  ticket: Audience,
  situation: Pick<CardPolicyFacts, 'ended' | 'silent'> & { started: boolean },
): boolean {
  const { assigneeId } = ticket;
  const gets = (one: Audience) => cardReaders(one, situation).some((id) => id === assigneeId);
  return gets(ticket) && !gets({ ...ticket, assigneeId: null });
}

/** The fields of a ticket in the modal *Manage*, each with its action. */
const ACTS = {
  title: 'edit',
  description: 'edit',
  statusId: 'status',
  priority: 'priority',
  assigneeId: 'assign',
  queueId: 'move',
  addTags: 'edit',
  removeTags: 'edit',
  dueAt: 'due',
  snoozeUntil: 'snooze',
} as const satisfies Record<string, Act>;

type ManagedField = keyof typeof ACTS;
type SingleField = Exclude<ManagedField, 'addTags' | 'removeTags'>;

/** Changed values; null clears the field. A chat user stands for the assignee. */
export type Changes = Partial<Record<SingleField, string | null>> & {
  addTags?: string[];
  removeTags?: string[];
};

const isSingle = (field: ManagedField): field is SingleField => !field.endsWith('Tags');

const CLEARABLE: readonly SingleField[] = ['assigneeId', 'dueAt', 'snoozeUntil'];
/** Dates are Unix seconds. */
const MOMENTS: readonly SingleField[] = ['dueAt', 'snoozeUntil'];

/**
 * Returns what a user changed in the modal *Manage*: only differences to its initial values are written, so other
 * users' changes stay (B25, B31). A field that had a value and was emptied is cleared, if a ticket may be without it;
 * so is one that was ticked under *Clear*, for what the window cannot show: an assignee who is not in Slack.
 */
export function changesOf(before: Filled, after: Filled): Changes {
  const changes: Changes = {};
  for (const field of (Object.keys(ACTS) as ManagedField[]).filter(isSingle)) {
    const value = after[field];
    if (value === null && before[field] && CLEARABLE.includes(field)) changes[field] = null;
    if (typeof value !== 'string' || value === before[field]) continue;
    // A description may be removed; other fields are refused before (`windowErrors`).
    if (field === 'description' && isBlank(value) && before[field]) changes[field] = '';
    if (isBlank(value)) continue;
    changes[field] = MOMENTS.includes(field) ? new Date(Number(value) * 1000).toISOString() : value;
  }
  if (after['description'] === null && before['description']) changes.description = '';
  const chosen = [after['tags'] ?? []].flat();
  const former = [before['tags'] ?? []].flat();
  const added = chosen.filter((tag) => !former.includes(tag));
  const removed = 'tags' in after ? former.filter((tag) => !chosen.includes(tag)) : [];
  if (added.length > 0) changes.addTags = added;
  if (removed.length > 0) changes.removeTags = removed;
  const cleared = after['clear'];
  if (Array.isArray(cleared))
    for (const field of CLEARABLE) if (cleared.includes(field)) changes[field] = null;
  return changes;
}

/** Fields that need words: of *Manage*, and the text of a reply or of details. */
const WORDY = ['title', 'reply'];

/**
 * Returns what is wrong in a submitted window of a card, by field: it is shown there while the window is open, with all
 * that was typed (B25). What only the service knows is told later.
 */
export function windowErrors(before: Filled, after: Filled, now: Date): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const field of WORDY) {
    const typed = after[field];
    if (typeof typed === 'string' && isBlank(typed)) errors[field] = 'Write a few words here.';
  }
  const { snoozeUntil } = after;
  const isNew = typeof snoozeUntil === 'string' && snoozeUntil !== before['snoozeUntil'];
  if (isNew && Number(snoozeUntil) * 1000 <= now.getTime())
    errors['snoozeUntil'] = 'Choose a time in the future.';
  return errors;
}

export function actsOf(changes: Changes): Act[] {
  return [...new Set((Object.keys(changes) as ManagedField[]).map((field) => ACTS[field]))];
}
