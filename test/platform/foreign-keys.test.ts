import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

import { openDatabase } from '../../src/platform/database/open.ts';
import { createLog } from '../../src/platform/log.ts';
import { programsDatabase } from '../harness/programs.ts';

/**
 * Foreign keys without an index whose first columns are theirs, in any order. Deleting the referenced row, or
 * setting them to null, reads the whole table instead.
 */
const UNINDEXED = sql<{ key: string }>`
  select format('%s (%s)', c.conrelid::regclass, string_agg(a.attname, ', ' order by k.place)) as key
  from pg_constraint c
  cross join unnest(c.conkey) with ordinality as k (attnum, place)
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
  where c.contype = 'f'
    -- People are never deleted: only what goes with them would be looked for.
    and (c.confrelid <> 'service.person'::regclass or c.confdeltype <> 'a') and c.connamespace in ('service'::regnamespace, 'bridge'::regnamespace)
    and not exists (
      select 1 from pg_index i
      where i.indrelid = c.conrelid and i.indisvalid
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
        -- indkey counts from 0: its first columns, as many as the foreign key has
        and (i.indkey::smallint[])[0:cardinality(c.conkey) - 1] @> c.conkey)
  group by c.oid order by 1`;

test('every foreign key of the service and the bridge has an index, so deleting the referenced row reads no whole table', async () => {
  const { url } = await programsDatabase();
  const database = openDatabase<object>({
    url,
    schema: 'public',
    log: createLog({ level: 'silent', pretty: false }),
  });
  onTestFinished(() => database.close());
  const { rows } = await UNINDEXED.execute(database.db);
  expect(rows.map(({ key }) => key)).toEqual([]);
});
