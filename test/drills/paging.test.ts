import { test } from 'vitest';

import { readWhileInserting } from '../service/paging.ts';

test.each<[list: string, order: string]>([
  ['tickets', 'sortBy=createdAt&sortDirection=desc'],
  ['tickets', 'sortBy=title&sortDirection=asc&groupBy=priority'],
  ['users', 'sortBy=createdAt&sortDirection=desc'],
])('pages of %s (%s) skip and repeat nothing while eight writers insert', readWhileInserting);
