import { sql } from 'kysely';

import type { ServiceTx } from '../../handler.ts';
import type { DueText } from './texts.ts';

/** Stores vectors; skips those of tickets deleted meanwhile. */
export async function storeVectors(
  tx: ServiceTx,
  provider: string,
  made: readonly { due: DueText; vector: Uint8Array }[],
): Promise<void> {
  if (made.length === 0) return;
  const column = <K extends keyof DueText>(name: K) => made.map(({ due }) => due[name]);
  await sql`
    insert into ticket_embedding (provider, workspace_id, ticket_id, content_hash, vector, stored_at)
    select ${provider}, t.workspace_id, t.id, content_hash, vector, clock_timestamp()
    from unnest(${column('workspace_id')}::text[], ${column('ticket_id')}::text[], ${column('hash')}::bytea[],
      ${made.map(({ vector }) => vector)}::bytea[]) as made (workspace_id, ticket_id, content_hash, vector)
    join ticket t on t.workspace_id = made.workspace_id and t.id = made.ticket_id
    on conflict (provider, workspace_id, ticket_id) do update set
      content_hash = excluded.content_hash, vector = excluded.vector, stored_at = excluded.stored_at`.execute(
    tx,
  );
}

/** Marks these as done, except those that changed while their vectors were made. */
export async function settleDue(tx: ServiceTx, provider: string, done: readonly DueText[]): Promise<void> {
  const column = <K extends keyof DueText>(name: K) => done.map((due) => due[name]);
  await sql`
    delete from embedding_due d
    using unnest(${column('workspace_id')}::text[], ${column('ticket_id')}::text[], ${column('revision')}::integer[])
      as i (workspace_id, ticket_id, revision)
    where d.provider = ${provider} and d.workspace_id = i.workspace_id and d.ticket_id = i.ticket_id
      and d.revision = i.revision`.execute(tx);
}
