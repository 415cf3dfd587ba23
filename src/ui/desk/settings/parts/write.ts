import { useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../../api/call.ts';
import { changeCached, queryClient } from '../../api/query.ts';
import type { Answer, Input, ItemOf, Operation } from '../../api/types.ts';

/** Calls an operation that changes something, then reads again the lists that show it. Throws Refusal. */
export async function saveAndRefresh<N extends Operation>(
  name: N,
  input: Input<N>,
  lists: readonly Operation[],
): Promise<Answer<N>> {
  const answer = await call(name, input);
  await refresh(lists);
  return answer;
}

export async function refresh(lists: readonly Operation[]): Promise<void> {
  await Promise.all(lists.map((list) => queryClient.invalidateQueries({ queryKey: [list] })));
}

/** The service has no such operation; 403 is about the person, and its message says so. */
export const isMissing = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.status === 404 || error.status === 405);

/**
 * Runs an operation that some services lack. If this one does, throws `text` as the reason, and `useLacks` knows it
 * from then on, so that it is offered no longer.
 */
export async function ifAble<T>(what: string, text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    queryClient.setQueryData(lacks(what), true);
    throw new Refusal(error.status, text);
  }
}

const lacks = (what: string) => ['lacks', what];

/** Whether the service was found to lack something. */
export const useLacks = (what: string): boolean =>
  useQuery({ queryKey: lacks(what), queryFn: () => false, enabled: false, gcTime: Infinity }).data ?? false;

export const recordsKey = (name: Operation) => [name, 'records'] as const;

/**
 * All records of a section, of a list that one section alone shows: also with its own `query`. Unlike choices, a list
 * that may not be read is an error: the section is about it.
 */
export function useRecords<N extends Operation>(name: N, query: object = {}) {
  const input = { query: { limit: 1000, ...query } } as unknown as Input<N>;
  return useQuery({
    // Apart from choices, which are empty where the service lacks the operation.
    queryKey: recordsKey(name),
    queryFn: ({ signal }) => call(name, input, { signal }) as Promise<{ items: ItemOf<N>[] }>,
    staleTime: 5_000,
    // What the service lacks is not asked for again by each part of the page; `Failed` offers to retry.
    retryOnMount: false,
  });
}

/** Shows a record that the service answered in the lists that have it. */
export function showRecord(list: Operation, record: { id: string }): void {
  changeCached<{ id: string }>(list, (each) => (each.id === record.id ? record : each));
}
