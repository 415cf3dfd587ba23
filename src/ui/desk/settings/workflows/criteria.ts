export interface Filter {
  field: string;
  condition: string;
  values: string[];
}

/** When a connection is taken. */
type Criteria =
  | { kind: 'always' | 'otherwise' | 'failed' | 'unreadable' }
  /** All filters of any group. */
  | { kind: 'groups'; groups: Filter[][] };

/** Reads the criteria of a connection as the API has them; a draft may have any others. */
export function criteriaIn(criteria: unknown): Criteria {
  if (criteria === null || criteria === undefined) return { kind: 'always' };
  const { otherwise, failed, filterGroups } = criteria as Record<string, unknown>;
  if (otherwise === true) return { kind: 'otherwise' };
  if (failed === true) return { kind: 'failed' };
  if (!Array.isArray(filterGroups) || !filterGroups.every(Array.isArray)) return { kind: 'unreadable' };
  return { kind: 'groups', groups: filterGroups.map((group: unknown[]) => group.map(filterIn)) };
}

function filterIn(filter: unknown): Filter {
  const { field, condition, value, given } = (filter ?? {}) as Record<string, unknown>;
  const values = [value, given].flat().filter((each) => each !== null && each !== undefined);
  return { field: String(field), condition: String(condition), values: values.map(String) };
}
