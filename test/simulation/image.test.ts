import { PGlite } from '@electric-sql/pglite';
import { expect, onTestFinished, test } from 'vitest';

import { Image } from './image.ts';

async function openDatabase(): Promise<PGlite> {
  const lite = await PGlite.create();
  onTestFinished(() => lite.close());
  await lite.exec('create table said (words text); prepare known as select * from said');
  return lite;
}

test('a database is what it was again, as often as wanted: rows, tables, settings and what is prepared', async () => {
  const lite = await openDatabase();
  await lite.exec(`insert into said values ('first')`);
  const image = await Image.of(lite);
  for (let time = 0; time < 2; time++) {
    // More than fits into the memory that it has: its pages are written to files, and the files grow.
    await lite.exec(`insert into said select repeat('x', 4000) || n from generate_series(1, 20000) as n`);
    await lite.exec(`create table other (id int); deallocate known; set work_mem = '5MB'; checkpoint`);
    await image.restore();
    expect((await lite.query('execute known')).rows).toEqual([{ words: 'first' }]);
    expect((await lite.query(`select to_regclass('other') as other`)).rows).toEqual([{ other: null }]);
    expect((await lite.query('show work_mem')).rows).toEqual([{ work_mem: '4MB' }]);
  }
});

test('a database whose Postgres has loaded a library since is refused, as the memory of that would be lost', async () => {
  const lite = await openDatabase();
  const image = await Image.of(lite);
  await lite.exec('do $$ begin end $$');
  await expect(image.restore()).rejects.toThrow(/plpgsql/);
});
