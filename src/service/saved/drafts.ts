import { type Selectable, sql } from 'kysely';

import { type File, type TicketDraft, ticketFile } from '../../contract/index.ts';
import { deleteInBatches } from '../../platform/database/delete-in-batches.ts';
import { visibleAmong } from '../access/ticket-access.ts';
import { fileRecords } from '../file-records/records.ts';
import type { Caller, Handlers, ServiceDb } from '../handler.ts';
import { iso } from '../instants.ts';
import { found, notFound, unprocessable } from '../problem.ts';
import type { Tables } from '../schema/tables.ts';
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
    return row ? toDraft(db, row) : null;
  },

  async putDraft({ caller, params, query, body, now }, tx) {
    const own = await draftOf(tx, caller, params.id, query.workspaceId);
    const fileIds = [...new Set(body.fileIds)];
    const stored = (await filesOf(tx, { ...own, file_ids: fileIds })).map(({ id }) => id);
    const missing = fileIds.find((id) => !stored.includes(id));
    if (missing !== undefined)
      throw unprocessable(
        'fileIds',
        `"${missing}" is no file that you uploaded to this ticket and can attach`,
      );
    const draft = {
      content: body.content,
      is_private: body.isPrivate ?? false,
      file_ids: fileIds,
      updated_at: now,
    };
    await tx
      .insertInto('ticket_draft')
      .values({ ...own, ...draft })
      .onConflict((on) => on.columns(['workspace_id', 'ticket_id', 'person_id']).doUpdateSet(draft))
      .execute();
    return toDraft(tx, { ...own, ...draft });
  },

  async deleteDraft({ caller, params, query }, tx) {
    const own = await draftOf(tx, caller, params.id, query.workspaceId);
    const row = await tx
      .deleteFrom('ticket_draft')
      .where((is) => is.and(own))
      .returningAll()
      .executeTakeFirst();
    return row ? toDraft(tx, row) : null;
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

type Row = Omit<Selectable<Tables['ticket_draft']>, 'content' | 'is_private' | 'updated_at'>;

/** The files of a draft that its person may still attach, in the order they were added. */
async function filesOf(
  db: ServiceDb,
  { workspace_id, ticket_id, person_id, file_ids }: Row,
): Promise<File[]> {
  const files = await fileRecords(db, [workspace_id], file_ids);
  return files.filter(
    (file) => file.attachedAt === null && file.ticketId === ticket_id && file.authorId === person_id,
  );
}

async function toDraft(db: ServiceDb, row: Selectable<Tables['ticket_draft']>): Promise<TicketDraft> {
  const files = (await filesOf(db, row)).map((file) => ticketFile.strip().parse(file));
  return { content: row.content, isPrivate: row.is_private, files, updatedAt: iso(row.updated_at) };
}

/** Deletes drafts that were not changed for 30 days. */
export async function pruneDrafts(db: ServiceDb, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await deleteInBatches(db, 'ticket_draft', sql`updated_at < ${before}`, signal);
}
