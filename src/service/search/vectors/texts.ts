import { createHash } from 'node:crypto';

import { sql } from 'kysely';

import type { ServiceDb } from '../../handler.ts';
import type { EmbeddingProvider } from '../providers/provider.ts';

/** A ticket whose vector is due. */
export interface Due {
  workspace_id: string;
  ticket_id: string;
  revision: number;
}

export interface DueText extends Due {
  text: string;
  hash: Buffer;
  /** Whether its existing vector was computed from this exact text. */
  made: boolean;
  /** Whether the ticket was opened just now and has no vector yet. */
  isNew: boolean;
}

/** Characters of a ticket used for a vector: about the 2,048 tokens that the smallest model accepts. */
const CHARACTERS = 6_000;
/** Seconds for which a ticket is new. */
const NEW_SECONDS = 60;

/** Of a vector whose text changed: it is not there yet, or is old enough to be made again. */
const isRipe = (renewMs: number) =>
  sql<boolean>`(e.stored_at is null or e.stored_at <= clock_timestamp() - ${renewMs} * interval '1 millisecond')`;

/** Whether anything in this lane makes vectors, or is about to. */
export async function isWorkUnderWay(db: ServiceDb, lane: string): Promise<boolean> {
  const row = await db
    .selectFrom('work')
    .select('id')
    .where('lane', '=', lane)
    .where('done_at', 'is', null)
    .where('dead_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether the vector of any ticket is due.
 * @param renewMs the age of a vector, at least, before it is made again.
 */
export async function isTextDue(
  db: ServiceDb,
  { name }: EmbeddingProvider,
  renewMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from embedding_due d
    left join ticket_embedding e on e.provider = d.provider and e.workspace_id = d.workspace_id and e.ticket_id = d.ticket_id
    where d.provider = ${name} and ${isRipe(renewMs)}
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Returns the next tickets whose vectors are due, the newest of all workspaces first, with their public text: internal
 * notes are never sent out.
 * @param renewMs the age of a vector, at least, before it is made again.
 */
export async function dueTexts(
  db: ServiceDb,
  provider: EmbeddingProvider,
  renewMs: number,
): Promise<DueText[]> {
  const { rows } = await sql<Due & { text: string; stored: Buffer | null; is_new: boolean }>`
    select d.workspace_id, d.ticket_id, d.revision, e.content_hash as stored,
      e.stored_at is null and t.created_at > clock_timestamp() - ${NEW_SECONDS} * interval '1 second' as is_new, left(concat_ws(chr(10), t.title, t.description, (
        select string_agg(x.content, chr(10) order by x.created_at desc) from (
          select left(content, ${CHARACTERS}) as content, created_at from ticket_message m
          where m.workspace_id = d.workspace_id and m.ticket_id = d.ticket_id and not m.private and m.deleted_at is null
          order by m.created_at desc limit 50) x)), ${CHARACTERS}) as text
    from embedding_due d
    join ticket t on t.workspace_id = d.workspace_id and t.id = d.ticket_id
    left join ticket_embedding e on e.provider = d.provider and e.workspace_id = d.workspace_id and e.ticket_id = d.ticket_id
    where d.provider = ${provider.name} and ${isRipe(renewMs)}
    order by d.ticket_id desc limit ${provider.batch}`.execute(db);
  return rows.map(({ stored, is_new: isNew, ...due }) => {
    const hash = createHash('sha256').update(`${provider.model}\n${due.text}`).digest();
    return { ...due, hash, made: stored !== null && hash.equals(stored), isNew };
  });
}
