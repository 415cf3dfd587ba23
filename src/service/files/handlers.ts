import { sql } from 'kysely';

import { visibleAmong } from '../access/ticket-access.ts';
import type { Caller, Handlers, ServiceDb, Tools } from '../handler.ts';
import { idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { lockMessage } from '../messages/lock.ts';
import { rewriteMessage } from '../messages/rewrite.ts';
import { recordChangeByOther, requireAuthorOrAdmin } from '../messages/words-of-others.ts';
import { found, ServiceProblem } from '../problem.ts';
import { ticketKey, lockTicketNamed, type TicketKey, ticketNamed } from '../tickets/find.ts';
import { isFileVisibleTo } from './access.ts';
import { changeTicketFiles } from './change.ts';
import { fileRecords } from '../file-records/records.ts';

const ORDER = {
  keys: { createdAt: timeKey('f.created_at'), ticketId: textKey('f.ticket_id') },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'f.id',
} as const;

type Names = 'listFiles' | 'listTicketFiles' | 'deleteFile';

/** Returns a query for the attached files that a caller may see. */
const attachedFiles = (db: ServiceDb, caller: Caller, workspaceIds: readonly string[]) =>
  db
    .selectFrom('file as f')
    .where(isOneOf('f.workspace_id', workspaceIds))
    .where('f.attached_at', 'is not', null)
    .where(isFileVisibleTo(caller));

/** Handlers of the files of tickets and messages; `routes.ts` uploads and downloads their bytes. */
export const fileHandlers = (tools: Pick<Tools, 'newId'>): Pick<Handlers, Names> => ({
  async listFiles({ caller, query }, db) {
    let rows = attachedFiles(db, caller, listedWorkspaces(caller, query.workspaceId));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('f.id', ids));
    if (query.ticketId) {
      await caller.noteOpened?.(db, [query.ticketId]);
      rows = rows.where('f.ticket_id', '=', query.ticketId);
    }
    return readPage(caller, await selectPage(rows, ORDER, query), (slice) =>
      fileRecords(db, caller.workspaceIds, slice),
    );
  },

  async listTicketFiles({ caller, params, query }, db) {
    const { workspaceIds, id } = found(await ticketNamed(db, caller, params.id, query.workspaceId));
    const [visible] = await visibleAmong(db, caller, workspaceIds, [id]);
    found(
      await db
        .selectFrom('ticket')
        .select('id')
        .where('workspace_id', 'in', workspaceIds)
        .where('id', '=', visible ?? '')
        .executeTakeFirst(),
    );
    await caller.noteOpened?.(db, [id]);
    let rows = attachedFiles(db, caller, workspaceIds).where('f.ticket_id', '=', id);
    if (query.key) rows = rows.where('f.key', '=', query.key);
    return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
      fileRecords(db, caller.workspaceIds, shown),
    );
  },

  async deleteFile({ caller, params, now, outbox }, tx) {
    const { workspace_id, id, ticket_id, ticket_message_id, attached_at, author_id } = found(
      await tx
        .selectFrom('file as f')
        .selectAll('f')
        .where('f.workspace_id', 'in', caller.workspaceIds)
        .where('f.id', '=', params.id)
        .where(isFileVisibleTo(caller))
        .executeTakeFirst(),
    );
    const [record] = await fileRecords(tx, [workspace_id], [id]);
    const writing = { caller, now, outbox };
    const isOwn = caller.session !== undefined && author_id === caller.personId;
    const remove = async () => {
      await sql`delete from file where workspace_id = ${workspace_id} and id = ${id}`.execute(tx);
    };
    const removeFrom = async (ticket: TicketKey) => {
      requireAuthorOrAdmin(caller, author_id);
      const changes = caller.session ? (['fileDeleted'] as const) : [];
      await recordChangeByOther(tx, { tools, caller, now }, { ticket, id, authorId: author_id, changes });
      await remove();
    };
    if (ticket_message_id !== null) {
      const locked = await lockMessage(tx, caller, ticket_message_id, isOwn ? 'participant' : 'team');
      await removeFrom(ticketKey(locked.ticket));
      await rewriteMessage(tx, writing, locked, 'updated', {});
    } else if (attached_at !== null) {
      const allowed = isOwn ? 'participant' : 'team';
      const locked = await lockTicketNamed(tx, caller, ticket_id ?? '', undefined, allowed);
      await changeTicketFiles(tx, writing, locked, () => removeFrom(ticketKey(locked)));
    } else if (caller.session && !isOwn) throw new ServiceProblem('FORBIDDEN', 'This file is not yours.');
    else await remove();
    return found(record);
  },
});
