import { z } from 'zod';

import { type NewWork, workFor, workKind } from '../../platform/engine/index.ts';
import { CLASSES } from '../work.ts';

/** A message of the ticket's requester, or (`messageId` null) the ticket itself. */
const QuestionBody = z.object({
  workspaceId: z.string(),
  ticketId: z.string(),
  messageId: z.string().nullable(),
  /** The workflows whose runs led to it: what is answered belongs to the same chain. */
  chain: z.array(z.string()).optional(),
});
export type Question = z.infer<typeof QuestionBody>;

/** A question that AI agents may answer: the ticket is the ordering key, so its questions are handled in order. */
export const ANSWER = workKind('answer', CLASSES.answer, QuestionBody);

export function answerWork(question: Question): NewWork {
  return workFor(ANSWER, question.ticketId, question);
}

/** Returns the id of a question. */
export function questionId({ ticketId, messageId }: Question): string {
  return messageId ?? ticketId;
}
