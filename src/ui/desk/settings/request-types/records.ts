import { useQuery } from '@tanstack/react-query';

import { call } from '../../api/call.ts';
import { useChoices } from '../../api/query.ts';
import { useIsHere } from '../parts/workspaces.tsx';
import { isMissing } from '../parts/write.ts';
import type { RequestType } from './draft.ts';

const ALL = { query: { limit: 1000 } };

/** All request types and collections. The specification only has the list of forms: then it is not whole. */
export async function readRequestTypes(): Promise<{ items: RequestType[]; isWhole: boolean }> {
  try {
    return { items: (await call('listRequestTypes', ALL)).items, isWhole: true };
  } catch (error) {
    if (!isMissing(error)) throw error;
    return { items: (await call('listForms', ALL)).items, isWhole: false };
  }
}

/** The request types and collections of the shown workspace. */
export function useRequestTypes() {
  const isHere = useIsHere();
  const read = useQuery({
    queryKey: ['listRequestTypes', 'or forms'],
    queryFn: readRequestTypes,
    staleTime: 5_000,
  });
  return { read, isWhole: read.data?.isWhole ?? true, items: (read.data?.items ?? []).filter(isHere) };
}

/** The fields of the workspace that questions use. */
export function useFields() {
  const isHere = useIsHere();
  return useChoices('listCustomFields').filter(isHere);
}
