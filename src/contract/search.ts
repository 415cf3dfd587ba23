import { z } from 'zod';

import { responseType } from './enums.ts';
import { id, shortText } from './fields.ts';
import { LIMITS } from './limits.ts';

/** Who makes the vectors of a search, where the built-in index is not wanted (docs/api.md, Search). */
export const searchProvider = z.enum(['openai', 'google', 'voyage']);
export type SearchProvider = z.output<typeof searchProvider>;

/**
 * `GET /tickets/semantic-search` (specification, Tickets). The words come as `query` or as `search`; without a
 * `provider` the built-in index answers.
 */
export const semanticSearchQuery = z
  .object({
    query: shortText.nullish(),
    search: shortText.nullish(),
    limit: z
      .int()
      .min(1)
      .max(LIMITS.semanticSearch.maxLimit)
      .nullish()
      .transform((limit) => limit ?? LIMITS.semanticSearch.defaultLimit),
    excludeTicketId: id.nullish(),
    provider: searchProvider.nullish(),
    workspaceId: id.nullish(),
    /** Beyond the specification: only what this person may see, and nothing found by private notes. */
    visibleToUserId: id.nullish(),
    responseType: responseType.nullish(),
  })
  .refine((asked) => wordsOf(asked) !== '', { path: ['query'], message: 'Say what to search for' });

interface Words {
  query?: string | null | undefined;
  search?: string | null | undefined;
}

/** The words of a search, whichever name they came under. */
export function wordsOf({ query, search }: Words): string {
  return (query?.trim() || search?.trim()) ?? '';
}
