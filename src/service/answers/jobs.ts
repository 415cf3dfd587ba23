import type { NewJob } from '../../platform/lanes/index.ts';

/** Questions that automated agents may answer: a lane per ticket, so its questions are worked in their order. */
export const ANSWERS = 'answer';

/** One question: a message of its ticket's requester, or (`messageId` null) the ticket itself. */
export interface Question {
  workspaceId: string;
  ticketId: string;
  messageId: string | null;
}

export function answerJob(question: Question): NewJob {
  return { queue: ANSWERS, key: question.ticketId, payload: { ...question } };
}

/** What a question is known by. */
export function questionId({ ticketId, messageId }: Question): string {
  return messageId ?? ticketId;
}
