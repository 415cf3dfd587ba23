import { expect } from 'vitest';

import type { ServiceDb } from '../../../src/service/handler.ts';
import { rebuildIndex } from '../../../src/service/search/index/rebuild.ts';

/** Everything that the index holds, but the words for typing errors, which stay. */
async function indexOf(db: ServiceDb): Promise<unknown> {
  const [words, tickets, documents] = await Promise.all([
    db
      .selectFrom('ticket_word')
      .selectAll()
      .orderBy('ticket_id')
      .orderBy('message_id')
      .orderBy('field')
      .orderBy('part')
      .execute(),
    db.selectFrom('ticket_search').selectAll().orderBy('ticket_id').execute(),
    db.selectFrom('knowledge_base_document').select(['id', 'words']).orderBy('id').execute(),
  ]);
  return { words, tickets, documents };
}

/** Expects that nothing waits to be indexed. */
export async function expectNothingMarked(db: ServiceDb, name: string): Promise<void> {
  const left = await db.selectFrom('search_mark').selectAll().execute();
  expect([name, left]).toEqual([name, []]);
}

/** Expects that a rebuild finds no difference, and that nothing waits to be indexed. */
export async function expectIndexed(db: ServiceDb, name: string): Promise<void> {
  await expectNothingMarked(db, name);
  const written = await indexOf(db);
  await rebuildIndex(db);
  expect([name, await indexOf(db)]).toEqual([name, written]);
}
