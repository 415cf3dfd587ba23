import { z } from 'zod';

import { responseType } from './enums.ts';
import { id } from './fields.ts';
import { LIMITS } from './limits.ts';
import { extended, flag, ids } from './lists.ts';
import { ticketFilters } from './ticket-requests.ts';
import { thinTicketList, ticketList } from './ticket.ts';
import { onWhereAbsent } from './tolerant.ts';

/** The provider of a search's vectors, instead of the built-in index (docs/api.md, Search). */
export const searchProvider = z.enum(['openai', 'google', 'voyage']);
export type SearchProvider = z.output<typeof searchProvider>;

/** A query contains only text, in which `null` means absence; but for these, in which it is a word like any other. */
export const mayBeNull = z.registry<{ word: true }>();
const words = z.string().max(LIMITS.shortText).register(mayBeNull, { word: true });

/**
 * `GET /tickets/semantic-search` (specification, Tickets). The text comes as `query` or as `search`; without a
 * `provider` the built-in index is used.
 */
export const semanticSearchQuery = z
  .object({
    query: words.nullish(),
    search: words.nullish(),
    limit: z
      .int()
      .min(1)
      .max(LIMITS.semanticSearch.maxLimit)
      .nullish()
      .transform((limit) => limit ?? LIMITS.semanticSearch.defaultLimit),
    excludeTicketId: id.nullish(),
    provider: searchProvider.nullish(),
    workspaceId: id.nullish(),
    /** Beyond the specification: only what this user may see, and no matches in private notes. */
    visibleToUserId: id.nullish(),
    /** Of `visibleToUserId` only the tickets in which the user takes part (beyond the specification). */
    onlyOwn: flag,
    /**
     * With it, ids with commas: queues whose team this person is of. All their tickets count, and private notes on
     * them.
     */
    teamQueueIds: ids,
    /** As of lists (beyond the specification). */
    ...ticketFilters,
    /** False: only public tickets, and no matches in internal notes. */
    private: flag,
    responseType: responseType.nullish(),
  })
  .refine((asked) => wordsOf(asked) !== '', { path: ['query'], message: 'Expected query or search' });

interface Words {
  query?: string | null | undefined;
  search?: string | null | undefined;
}

/** Returns the search text, whichever parameter it came in; of two, the one that is not `null`. */
export function wordsOf({ query, search }: Words): string {
  const given = [query?.trim() ?? '', search?.trim() ?? ''].filter((text) => text !== '');
  return given.find((text) => text !== 'null') ?? given[0] ?? '';
}

/** A passage of a ticket with what was found in it, as plain text. */
const snippet = z.strictObject({
  /**
   * A note is private, and so is its snippet; its files and private fields count as notes. A person is named on the
   * ticket. A file is shown by its name, a field by its value.
   */
  field: z.enum(['title', 'description', 'message', 'note', 'person', 'file', 'field', 'reference']),
  /** The message that has it, in its text or as a file; null for what the ticket itself has. */
  messageId: id.nullable(),
  text: z.string(),
  /** The positions of the words, in UTF-16 units: from the first to before the last. */
  marks: z.array(z.strictObject({ from: z.int().min(0), to: z.int().min(0) })),
});
export type Snippet = z.output<typeof snippet>;

/** Why a ticket was found (beyond the specification). */
const match = z.strictObject({
  ticketId: id,
  /** By its words, or because it means something similar. */
  by: z.enum(['words', 'meaning']),
  /** Whether it holds every word of the search that says something: these come first, and are never left out. */
  hasAllWords: z.boolean(),
  /** Higher is better; of searches for the same words in several workspaces, comparable. */
  score: z.number(),
  /** The title first; none where the ticket is only similar in meaning. */
  snippets: z.array(snippet),
});
export type Match = z.output<typeof match>;

const found = {
  matches: z.array(match),
  /**
   * Beyond the specification. False: meaning was left out, because it is starting, not available or switched off. Such
   * an answer has the words of the search only.
   */
  meaning: z.boolean().register(onWhereAbsent, { absent: true }),
};
export const searchAnswer = extended(ticketList, found);
export const thinSearchAnswer = extended(thinTicketList, found);
