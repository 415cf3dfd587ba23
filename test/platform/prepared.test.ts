import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { prepared, preparedName } from '../../src/platform/database/prepared.ts';
import { createLog } from '../../src/platform/log.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { createTestDatabase } from '../harness/database.ts';

it('a statement that says so is prepared under its name, once by a connection, and no other is', async () => {
  expect(preparedName('select 1 /* prepared as it */')).toBeUndefined();
  const { url } = await createTestDatabase();
  const log = createLog({ level: 'silent', pretty: false });
  const database = openDatabase({ url, schema: 'public', log, poolSize: 1 });
  try {
    for (const value of ['one', 'two']) {
      const { rows } = await sql`${prepared('a-test')} select ${value}::text as value`.execute(database.db);
      expect(rows).toEqual([{ value }]);
      await sql`select ${value}::text as value`.execute(database.db);
    }
    const { rows } = await sql`select name from pg_prepared_statements`.execute(database.db);
    expect(rows).toEqual([{ name: 'a-test' }]);
  } finally {
    await database.close();
  }
});
