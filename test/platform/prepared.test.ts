import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';

import {
  type Database,
  openDatabase,
  type OpenOptions,
  transaction,
} from '../../src/platform/database/open.ts';
import { PLANNED_FOR_ITS_VALUES } from '../../src/platform/database/prepared.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase } from '../harness/database.ts';

interface Tables {
  fruit: { name: string };
}
let database: Database<Tables>;
let other: Database<Tables>;
let options: OpenOptions;

beforeEach(async () => {
  const { url } = await createTestDatabase();
  const log = createLog({ level: 'silent', pretty: false });
  options = { url, schema: 'public', log, poolSize: 1 };
  database = openDatabase(options);
  other = openDatabase(options);
  await sql`create table fruit (name text)`.execute(database.db);
  await sql`insert into fruit values ('fig')`.execute(database.db);
});

afterEach(async () => {
  await database.close();
  await other.close();
});

const names = async () =>
  (await sql<{ name: string }>`select name from pg_prepared_statements`.execute(database.db)).rows;
const figs = (db: Database<Tables>['db']) =>
  db.selectFrom('fruit').selectAll().where('name', '=', 'fig').execute();

it('a recurring statement with values is prepared, once per connection; one without values never is', async () => {
  await figs(database.db);
  expect(await names()).toEqual([]);
  for (const _again of [1, 2]) {
    expect(await figs(database.db)).toEqual([{ name: 'fig' }]);
    expect(await names()).toHaveLength(1);
  }
});

it('a statement that is to be planned for its values is never prepared', async () => {
  const planned = sql.raw(PLANNED_FOR_ITS_VALUES);
  for (const name of ['fig', 'pear', 'fig'])
    await sql`select name from fruit where name = ${name} ${planned}`.execute(database.db);
  expect(await names()).toEqual([]);
});

it('planned once in transactions, a statement has one plan for all values there, and may have others elsewhere', async () => {
  const keyed = openDatabase<Tables>({ ...options, plansOnce: 'in transactions' });
  onTestFinished(() => keyed.close());
  // Postgres takes a list of any length for one of ten, and would plan this anew for each shorter one.
  const find = (db: Database<Tables>['db']) =>
    sql`select name from fruit where name = any(${['fig']}::text[])`.execute(db);
  const plans = async () => {
    const { rows } = await sql<{ once: number; anew: number }>`
      select generic_plans as once, custom_plans as anew from pg_prepared_statements`.execute(keyed.db);
    return rows;
  };
  for (const _again of [1, 2, 3])
    await transaction(keyed.db, async (tx) => expect((await find(tx)).rows).toEqual([{ name: 'fig' }]));
  expect(await plans()).toEqual([{ once: 2, anew: 0 }]);
  await find(keyed.db);
  expect(await plans()).toEqual([{ once: 2, anew: 1 }]);
});

it.each([undefined, 'in transactions'] as const)(
  'a migration by another process breaks no prepared statement, alone or within a transaction (planned once: %s)',
  async (plansOnce) => {
    const database = openDatabase<Tables>({ ...options, plansOnce });
    onTestFinished(() => database.close());
    for (const _again of [1, 2]) await figs(database.db);
    await sql`alter table fruit add column colour text default 'green'`.execute(other.db);
    expect(await figs(database.db)).toEqual([{ name: 'fig', colour: 'green' }]);

    for (const _again of [1, 2]) await figs(database.db);
    await sql`alter table fruit add column ripe boolean default true`.execute(other.db);
    const found = await transaction(database.db, async (tx) => {
      await sql`select 1`.execute(tx);
      return figs(tx);
    });
    expect(found).toEqual([{ name: 'fig', colour: 'green', ripe: true }]);
  },
);
