import { sql } from 'kysely';

import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Caller, Handlers } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found } from '../problem.ts';
import { stepWork } from '../workflow-config/kinds.ts';
import { chatRequestRecords } from './records.ts';

/** After that long nobody waits for it any more. */
export const EXPIRES_MS = 24 * 60 * 60_000;

const ORDER = {
  keys: { createdAt: timeKey('c.created_at'), state: textKey('c.state') },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'c.id',
} as const;

/** Posts that workflows request in chat, and their results (docs/api.md, Workflows). */
export const chatRequestHandlers: Pick<Handlers, 'listChatRequests' | 'answerChatRequest'> = {
  async listChatRequests({ caller, query, now }, db) {
    let rows = db
      .selectFrom('chat_request as c')
      .where(isOneOf('c.workspace_id', listedWorkspaces(caller, query.workspaceId)))
      .where('c.created_at', '>', new Date(now.getTime() - EXPIRES_MS))
      .where(isVisibleRequest(caller));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('c.id', ids));
    if (query.state) rows = rows.where('c.state', '=', query.state);
    if (query.search) rows = rows.where(contains(['c.content'], query.search));
    return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
      chatRequestRecords(db, caller.workspaceIds, shown),
    );
  },

  async answerChatRequest({ caller, params: { id }, body, now, outbox }, tx) {
    const request = found(
      await tx
        .selectFrom('chat_request as c')
        .selectAll()
        .where('c.workspace_id', 'in', caller.workspaceIds)
        .where('c.id', '=', id)
        .where(isVisibleRequest(caller))
        .forNoKeyUpdate()
        .executeTakeFirst(),
    );
    const { workspace_id: workspaceId, run_id: runId, step_id: stepId } = request;
    // What one chat wrote is written, though another one has said that it cannot.
    if (request.state === 'pending' || (request.state === 'failed' && body.messageTs)) {
      await tx
        .updateTable('chat_request')
        .set({
          state: body.messageTs ? 'done' : 'failed',
          message_ts: body.messageTs ?? null,
          error: body.error ?? null,
          updated_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      outbox.plan(stepWork({ workspaceId, runId, stepId }));
    }
    return found((await chatRequestRecords(tx, [workspaceId], [id]))[0]);
  },
};

/** A key with queues serves the tickets of these. */
function isVisibleRequest(caller: Caller) {
  const viewer = viewerOf(caller);
  if (!viewer) return sql<boolean>`true`;
  return sql<boolean>`exists (select from workflow_run r
    join ticket t on t.workspace_id = r.workspace_id and t.id = r.ticket_id
    where r.workspace_id = c.workspace_id and r.id = c.run_id and ${isVisibleTo(viewer)})`;
}
