import { useChoices } from '../../api/query.ts';
import { isMissing, useRecords } from '../parts/write.ts';
import { useIsHere } from '../parts/workspaces.tsx';

/** The request types and collections of the shown workspace. The specification only has the list of forms. */
export function useRequestTypes() {
  const listed = useRecords('listRequestTypes');
  const forms = useRecords('listForms');
  const isHere = useIsHere();
  const isWhole = !isMissing(listed.error);
  const read = isWhole ? listed : forms;
  return { read, isWhole, items: (read.data?.items ?? []).filter(isHere) };
}

/** The fields of the workspace that questions use. */
export function useFields() {
  const isHere = useIsHere();
  return useChoices('listCustomFields').filter(isHere);
}
