import { sql } from 'kysely';

import type { TicketDraft } from '../../contract/index.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import { visibleAmong } from '../access/ticket-access.ts';
import type { Caller, Handlers, ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { found, notFound } from '../problem.ts';
import { ticketNamed } from '../tickets/find.ts';

const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** A person's drafts: nobody else reads them, so a key, which is no person, has none. */
export const draftHandlers = {
  async readDraft({ caller, params, query }, db) {
    const own = await draftOf(db, caller, params.id, query.workspaceId);
    const row = await db
      .selectFrom('ticket_draft')
      .selectAll()
      .where((is) => is.and(own))
      .executeTakeFirst();
    return row ? toDraft(row) : null;
  },

  async putDraft({ caller, params, query, body, now }, tx) {
    const own = await draftOf(tx, caller, params.id, query.workspaceId);
    const draft = { content: body.content, is_private: body.isPrivate ?? false, updated_at: now };
    await tx
      .insertInto('ticket_draft')
      .values({ ...own, ...draft })
      .onConflict((on) => on.columns(['workspace_id', 'ticket_id', 'person_id']).doUpdateSet(draft))
      .execute();
    return toDraft(draft);
  },

  async deleteDraft({ caller, params, query }, tx) {
    const own = await draftOf(tx, caller, params.id, query.workspaceId);
    const row = await tx
      .deleteFrom('ticket_draft')
      .where((is) => is.and(own))
      .returningAll()
      .executeTakeFirst();
    return row ? toDraft(row) : null;
  },
} satisfies Pick<Handlers, 'readDraft' | 'putDraft' | 'deleteDraft'>;

/** Returns the key of the caller's draft on a ticket. @throws 404 for a key, and unless the caller sees the ticket. */
async function draftOf(
  db: ServiceDb,
  caller: Caller,
  idOrReference: string,
  inWorkspace: string | null | undefined,
) {
  if (!caller.session || caller.personId === null) throw notFound();
  const { workspaceIds, id } = found(await ticketNamed(db, caller, idOrReference, inWorkspace));
  const visible = await visibleAmong(db, caller, workspaceIds, [id]);
  const ticket = found(
    await db
      .selectFrom('ticket')
      .select(['workspace_id', 'id'])
      .where('workspace_id', 'in', workspaceIds)
      .where('id', 'in', visible.length > 0 ? visible : [''])
      .executeTakeFirst(),
  );
  return { workspace_id: ticket.workspace_id, ticket_id: ticket.id, person_id: caller.personId };
}

function toDraft(row: { content: string; is_private: boolean; updated_at: Date }): TicketDraft {
  return { content: row.content, isPrivate: row.is_private, updatedAt: iso(row.updated_at) };
}

/** Deletes drafts that were not changed for 30 days. */
export async function pruneDrafts(db: ServiceDb, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await deleteInBatches(db, 'ticket_draft', sql`updated_at < ${before}`, signal);
}
