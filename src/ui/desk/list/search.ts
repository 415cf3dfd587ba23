import { z } from 'zod/mini';

const word = z.optional(z.catch(z.optional(z.coerce.string()), undefined));

/** The filters of a list in the address, so that it can be bookmarked and shared; unknown ones are dropped. */
export const ListSearch = z.object({
  /** The view that the filters were added to, on a ticket's page. */
  view: word,
  search: word,
  status: word,
  queueId: word,
  assigneeId: word,
  requesterId: word,
  approverId: word,
  priority: word,
  tagId: word,
  requestTypeId: word,
  due: word,
  createdFrom: word,
  createdTo: word,
  sort: word,
});
export type ListSearch = z.infer<typeof ListSearch>;
