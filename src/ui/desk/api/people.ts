import { useQueries, useQuery } from '@tanstack/react-query';

import { call, Refusal } from './call.ts';
import { queryClient } from './query.ts';
import type { Person } from './types.ts';

type Waiting = { resolve: (person: Person | null) => void; reject: (error: unknown) => void };
const waiting = new Map<string, Waiting[]>();

/** One request for all people that one drawing needs. */
function readPerson(id: string): Promise<Person | null> {
  if (waiting.size === 0) queueMicrotask(() => void readWaiting());
  const { promise, resolve, reject } = Promise.withResolvers<Person | null>();
  waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
  return promise;
}

async function readWaiting(): Promise<void> {
  const asked = new Map(waiting);
  waiting.clear();
  try {
    const { items } = await call('listUsers', {
      query: { set: [...asked.keys()].join(','), limit: asked.size },
    });
    const found = new Map(items.map((person) => [person.id, person]));
    for (const [id, all] of asked) for (const { resolve } of all) resolve(found.get(id) ?? null);
  } catch (error) {
    // Another service may not let a person list people.
    const isAbsent = error instanceof Refusal && error.isAbsent;
    for (const all of asked.values())
      for (const { resolve, reject } of all)
        if (isAbsent) resolve(null);
        else reject(error);
  }
}

const personQuery = (id: string) => ({
  queryKey: ['person', id],
  queryFn: () => readPerson(id),
  staleTime: 5 * 60_000,
});

/** A person by id; undefined while unknown or without an id. */
export function usePerson(id: string | null | undefined): Person | undefined {
  const { data } = useQuery({ ...personQuery(id ?? ''), enabled: Boolean(id) });
  return data ?? undefined;
}

/** Several people by id, those that are known. */
export function usePeople(ids: readonly string[]): Map<string, Person> {
  const unique = [...new Set(ids)];
  return useQueries({
    queries: unique.map(personQuery),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [[data.id, data]] : []))),
  });
}

/** Remembers people that another answer contained. */
export function rememberPeople(people: readonly Person[]): void {
  for (const person of people) queryClient.setQueryData(['person', person.id], person);
}

/** A person who was read before. */
export const knownPerson = (id: string): Person | undefined =>
  queryClient.getQueryData<Person>(['person', id]);

/** The name of a person whom a picker has just shown. */
export const knownName = (id: string): string => nameOf(knownPerson(id));

/** First and last name; the e-mail address of a person without a name. */
export function nameOf(
  person: { firstName: string | null; lastName: string | null; email?: string | null } | null | undefined,
): string {
  const names = [person?.firstName, person?.lastName].filter(Boolean).join(' ');
  return names || person?.email || 'Unknown person';
}
