import { z } from 'zod';

import type { User } from '../../../contract/index.ts';
import { data, quote } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import type { Reading } from '../tool.ts';

/** A person in an answer. */
export const person = z.strictObject({ id: z.string(), name: data });
export type NamedPerson = z.output<typeof person>;

const NOBODY = 'Unknown person';

/** Returns the people of these ids by their ids, with the names that the caller may read. */
export async function peopleNamed(
  { read }: Reading,
  ids: readonly (string | null | undefined)[],
): Promise<(id: string | null | undefined) => NamedPerson | null> {
  const wanted = [...new Set(ids.flatMap((id) => id ?? []))].slice(0, ASSIST_LIMITS.people);
  const { items } =
    wanted.length === 0
      ? { items: [] }
      : await read('listUsers', { query: { set: wanted.join(','), limit: wanted.length } });
  const known = new Map(items.map((user) => [user.id, fullNameOf(user)]));
  return (id) => (id ? { id, name: quote(known.get(id) ?? NOBODY, ASSIST_LIMITS.name) } : null);
}

export function fullNameOf({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ') || NOBODY;
}
