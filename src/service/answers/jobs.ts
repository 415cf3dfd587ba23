import type { NewJob } from '../../platform/jobs/index.ts';

/** Messages that AI agents may answer: the ticket is the ordering key, so its messages are handled in order. */
export const ANSWERS = 'answer';

/** A message of the ticket's requester, or (`messageId` null) the ticket itself. */
export interface Question {
  workspaceId: string;
  ticketId: string;
  messageId: string | null;
}

export function answerJob(question: Question): NewJob {
  return { queue: ANSWERS, orderingKey: question.ticketId, payload: { ...question } };
}

/** Returns the id of a question. */
export function questionId({ ticketId, messageId }: Question): string {
  return messageId ?? ticketId;
}
