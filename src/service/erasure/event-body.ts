import { type Erased, NOBODY } from './erased.ts';

/** The author of a message, as its event has it. */
const AUTHOR = { firstName: NOBODY.firstName, lastName: NOBODY.lastName, email: null, image: null };

/**
 * Returns the body of an event without an erased person: as the author of a message, in mentions, and wherever one of
 * these names, their e-mail address or a chat account is written.
 */
export function withoutPerson(body: string, { personId, names, addresses }: Erased): string {
  const clean = (text: string) => {
    let cleaned = text.replaceAll(/\[@(?:[^\]\\]|\\.)*\]\(user:([^)]*)\)/g, (whole, id: string) =>
      id === personId ? `[@${NOBODY.name}](user:${id})` : whole,
    );
    for (const name of names) cleaned = cleaned.replaceAll(name, NOBODY.name);
    for (const address of addresses) cleaned = cleaned.replaceAll(address, NOBODY.name);
    return cleaned;
  };
  return JSON.stringify(JSON.parse(body), (_field, value: unknown) => {
    if (typeof value === 'string') return clean(value);
    const isTheirs = typeof value === 'object' && value !== null && 'authorId' in value && 'author' in value;
    return isTheirs && value.authorId === personId ? { ...value, author: AUTHOR } : value;
  });
}
