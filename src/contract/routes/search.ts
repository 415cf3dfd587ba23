import { route } from '../route.ts';
import { searchAnswer, semanticSearchQuery, thinSearchAnswer } from '../search.ts';

export const searchRoutes = {
  semanticSearch: route({
    method: 'GET',
    path: '/tickets/semantic-search',
    role: 'read',
    person: 'requester',
    ext: false,
    summary: 'Find tickets by their text, best first',
    query: semanticSearchQuery,
    answer: searchAnswer,
    thin: thinSearchAnswer,
    errors: ['UNPROCESSABLE_CONTENT'],
  }),
};
