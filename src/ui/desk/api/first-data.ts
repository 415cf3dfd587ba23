import { rememberPeople } from './people.ts';
import { operationKey, queryClient } from './query.ts';
import { type SessionAnswer, sessionQuery } from './session.ts';
import type { Operation, Person } from './types.ts';

/**
 * As src/desk/first-data.ts writes it. Not checked: the same server sent this script, and zod weighs as much as the
 * list.
 */
interface FirstData extends SessionAnswer {
  answers: { name: Operation; params: object; query: object; body?: object; answer: unknown }[];
}

/** Takes over what the server sent with the page, so that the first drawing needs no request. */
export function takeFirstData(document: Document): void {
  const text = document.getElementById('first-data')?.textContent;
  if (!text) return;
  const { signIn, session, answers } = JSON.parse(text) as FirstData;
  queryClient.setQueryData(sessionQuery.queryKey, { signIn, session });
  if (session?.user) rememberPeople([session.user]);
  for (const { name, answer, ...input } of answers)
    if (name === 'listUsers') rememberPeople((answer as { items: Person[] }).items);
    else queryClient.setQueryData(operationKey(name, input), answer);
}
