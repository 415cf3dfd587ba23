import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';

import type { ProviderName } from '../../../src/service/search/providers/provider.ts';
import {
  conceptsFromBytes,
  conceptsToBytes,
  fromBytes,
  toBytes,
} from '../../../src/service/search/vectors/bytes.ts';
import { askedBy, InMemoryVectorIndex } from '../../../src/service/search/vectors/nearest.ts';
import { seeded } from '../../harness/seeded.ts';
import { serviceDatabase } from '../harness.ts';
import { openTables } from '../world.ts';

/** More than are compared before the search yields to other requests. */
const TICKETS = 12_000;
const DIMENSIONS = 64;
const CONCEPTS = 400;
const random = seeded(1);

const unit = (values: number[]) => {
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};
const vectorOf = () => unit(Array.from({ length: DIMENSIONS }, () => random() - 0.5));
/** From none to ten concepts, with the strengths of a vector of length 1. */
const conceptsOf = () => {
  const count = Math.floor(random() * 11);
  const strengths = unit(Array.from({ length: count }, () => 0.1 + random()));
  return new Map(strengths.map((strength) => [Math.floor(random() * CONCEPTS), strength]));
};
const product = (one: Int8Array, other: Int8Array) =>
  one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);

/** The similarity that `nearest` must find, computed in the simplest way. */
const EXPECTED: Record<'openai' | 'built-in', (one: Uint8Array, other: Uint8Array) => number> = {
  openai: (one, other) => {
    const [a, b] = [fromBytes(one), fromBytes(other)];
    return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
  },
  'built-in': (one, other) => {
    const concepts = conceptsFromBytes(other);
    return [...conceptsFromBytes(one)].reduce(
      (sum, [concept, strength]) => sum + strength * (concepts.get(concept) ?? 0),
      0,
    );
  },
};

async function store(
  { db }: ReturnType<typeof openTables>,
  provider: ProviderName,
  encoded: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Without foreign keys, so that no tickets are needed.
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`
      insert into ticket_embedding (provider, workspace_id, ticket_id, content_hash, vector, stored_at)
      select ${provider}, 'wks_a', id, '', vector, clock_timestamp() from unnest(
        ${[...encoded.keys()]}::text[], ${[...encoded.values()]}::bytea[]) as v (id, vector)
      on conflict (provider, workspace_id, ticket_id) do update set vector = excluded.vector, stored_at = excluded.stored_at`.execute(
      tx,
    );
  });
}

describe.each(['openai', 'built-in'] as const)('with vectors of %s', (provider) => {
  test('the nearest vectors are found among all, and a ticket by its newest vector', async () => {
    const encode = () => (provider === 'openai' ? toBytes(vectorOf()) : conceptsToBytes(conceptsOf()));
    const encoded = new Map(Array.from({ length: TICKETS }, (_, at) => [`tkt_${at}`, encode()]));
    const tables = openTables({ databaseUrl: await serviceDatabase() });
    await store(tables, provider, encoded);
    // A vector of an older model is not compared.
    await store(tables, provider, new Map([['tkt_old', new Uint8Array(542).fill(1)]]));
    const index = new InMemoryVectorIndex();
    const expectNearest = async (query: Uint8Array) => {
      const found = await index.nearest(tables.db, provider, ['wks_a'], askedBy(provider, query), 5);
      const all = [...encoded.values()].map((each) => EXPECTED[provider](query, each));
      const best = all
        .filter((similarity) => similarity > 0)
        .sort((a, b) => b - a)
        .slice(0, 5);
      expect(found.map(({ similarity }) => similarity.toFixed(4))).toEqual(
        best.map((similarity) => similarity.toFixed(4)),
      );
      return found;
    };
    for (let search = 0; search < 20; search++) await expectNearest(encode());
    const [changed = new Uint8Array(0)] = [...encoded.values()].filter(({ length }) => length >= 15);
    encoded.set('tkt_7', Buffer.from(changed));
    await store(tables, provider, new Map([['tkt_7', changed]]));
    const found = await expectNearest(changed);
    expect(found.slice(0, 2).map(({ ticketId }) => ticketId)).toContain('tkt_7');
    const described = await index.describe(tables.db, provider, ['wks_a'], askedBy(provider, changed), [
      'tkt_7',
      'tkt_none',
    ]);
    expect(described.map(({ ticketId, similarity }) => [ticketId, Math.round(similarity * 50)])).toEqual([
      ['tkt_7', 50],
    ]);
  });
});
