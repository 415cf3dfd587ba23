import { usePerson } from './people.ts';
import type { Message, Person } from './types.ts';

/** What a message, or a ticket of its last one, says of who wrote it. */
export type Written = Pick<Message, 'authorId'> &
  Partial<Pick<Message, 'agent' | 'workflow' | 'author'>> & { source?: Message['source'] | undefined };

/**
 * Returns who wrote a message: a user, named as in the message until their record is loaded, or the AI agent, the
 * workflow or the service itself. Undefined if that is not known.
 */
export const authorOfMessage = (written: Written, people: ReadonlyMap<string, Person>): Person | undefined =>
  programOf(written) ??
  people.get(written.authorId ?? '') ??
  (written.author ? ({ ...written.author, id: written.authorId } as unknown as Person) : undefined);

/** The same for one message, whose author is read. */
export function useAuthor(written: Written | null | undefined): Person | undefined {
  const person = usePerson(written?.authorId);
  return written ? authorOfMessage(written, new Map(person && [[person.id, person]])) : undefined;
}

/** The writer of a message that is no user. */
function programOf({ agent, workflow, authorId, source }: Written): Person | undefined {
  const program = agent ?? workflow;
  const name = program?.name ?? (authorId === null && source === 'SYSTEM' ? 'deskbridge' : undefined);
  return name === undefined
    ? undefined
    : ({ id: program?.id ?? 'service', firstName: name, lastName: null } as unknown as Person);
}
