import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { toBytes } from '../../../src/service/search/vectors/bytes.ts';
import { askedBy, InMemoryVectorIndex } from '../../../src/service/search/vectors/nearest.ts';
import { seeded } from '../../harness/seeded.ts';
import { serviceDatabase } from '../harness.ts';
import { openTables } from '../world.ts';

/** More than are compared exactly. */
const TICKETS = 6_000;
const DIMENSIONS = 64;

test('of more vectors than are compared exactly, the nearest are found by their signs', async () => {
  const random = seeded(1);
  const vectorOf = () => Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const vectors = Array.from({ length: TICKETS }, vectorOf);
  const { db } = openTables({ databaseUrl: await serviceDatabase() });
  await db.transaction().execute(async (tx) => {
    // The tickets themselves are left out.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`
      insert into ticket_embedding (provider, workspace_id, ticket_id, content_hash, vector, stored_at)
      select 'built-in', 'wks_a', id, '', vector, now() from unnest(
        ${vectors.map((_, at) => `tkt_${at}`)}::text[], ${vectors.map(toBytes)}::bytea[]) as v (id, vector)`.execute(
      tx,
    );
  });
  const index = new InMemoryVectorIndex();
  for (let at = 0; at < TICKETS; at += 300) {
    const similar = (vectors[at] ?? []).map((value) => value + (random() - 0.5) / 4);
    const found = await index.nearest(db, 'built-in', ['wks_a'], askedBy(toBytes(similar)), 3);
    expect(found[0]?.ticketId).toBe(`tkt_${at}`);
  }
});
