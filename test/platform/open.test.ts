import { expect, test } from 'vitest';

import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });

test('closing a database ends its pool, also where no statement went through the query builder', async () => {
  const { url } = await createTestDatabase();
  const closed = openDatabase({ url, schema: 'public', log });
  await closed.pool.query('select 1');
  expect(closed.pool.totalCount).toBe(1);
  await closed.close();
  await closed.close();
  expect(closed.pool.totalCount).toBe(0);
});
