/**
 * Parameters of the ticket list that the desk filters by, in the order of their chips. `me` is the signed-in person.
 */
export const FILTERS = [
  'statusId',
  'openFilter',
  'snoozedFilter',
  'queueId',
  'priority',
  'assigneeId',
  'unassignedFilter',
  'requesterId',
  'approverId',
  'undecidedFilter',
  'followerId',
  'tagId',
  'requestTypeId',
  'due',
  'createdFrom',
  'createdTo',
] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Partial<Record<Filter, string>>;

/** Whether a filter may have several values, with commas between them: all but yes or no, and days. */
export const takesSeveral = (filter: Filter): boolean => !/Filter$|^created/.test(filter);

/** The values of a filter. */
export const valuesOf = (value: string | undefined): string[] => (value ? value.split(',') : []);

const OTHERS = ['search', 'by', 'sortBy', 'sortDirection', 'view'] as const;

/**
 * What is in the address of a list beside its view: filters that replace the view's own ('' removes one), a search
 * (`by=words`: all tickets with these words instead of the best ones), an order, and on a ticket's page the view that
 * stands beside it. A list can so be bookmarked and shared; unknown parameters are dropped.
 */
export type ListSearch = { [Name in Filter | (typeof OTHERS)[number]]?: string };

export function readSearch(search: Record<string, unknown>): ListSearch {
  const names = [...FILTERS, ...OTHERS];
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  );
}
