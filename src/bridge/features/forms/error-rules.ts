import { isOver } from '../../blocks/day.ts';
import { OWN_QUESTIONS } from './rules.ts';
import type { Filled } from '../../slack/interaction.ts';

/** The parts of a submitted form that can be validated without the service. */
interface SubmittedForm {
  filled: Filled;
  /** The request type whose questions were shown. */
  shown: string | null;
  /** The required questions, by block id. */
  required: readonly string[];
  /** Those whose answer must be in the future. */
  due: readonly string[];
}

/**
 * Returns the errors of a form, by block id (B37): shown at the field while the form is open. Slack itself checks
 * required fields, lengths, numbers and addresses; what only the service knows is reported later, with the form stored.
 */
export function formErrors(
  { filled, shown, required, due }: SubmittedForm,
  now: Date,
): Record<string, string> {
  const chosen = filled[OWN_QUESTIONS.type];
  if (typeof chosen === 'string' && chosen !== shown)
    return {
      [OWN_QUESTIONS.type]: 'Its questions are on their way: look through them, then open the ticket.',
    };
  const errors: Record<string, string> = {};
  for (const block of required) {
    const typed = filled[block];
    if (typeof typed === 'string' && typed.trim() === '') errors[block] = 'Please write some words here.';
  }
  for (const block of due) {
    const typed = filled[block];
    if (typeof typed === 'string' && isPast(typed, now))
      errors[block] = 'This is over: choose a time that is ahead.';
  }
  return errors;
}

function isPast(typed: string, now: Date): boolean {
  if (/^\d{4}-\d{2}-\d{2}$/.test(typed)) return isOver(typed, now);
  return /^\d{10}$/.test(typed) && Number(typed) * 1000 < now.getTime();
}
