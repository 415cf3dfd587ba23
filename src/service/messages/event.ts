import { type RawBuilder, sql } from 'kysely';

import type { MessageEvent } from '../../contract/index.ts';
import type { Caller } from '../handler.ts';
import { messageJson } from './records.ts';

/** What a message has in other tables, where the same statement writes it, so that they do not have it yet. */
interface Parts {
  copies?: RawBuilder<unknown>;
  files?: RawBuilder<unknown>;
}

/**
 * Returns a part of a statement: the written message with its event, as a relation `record (message, event)`, to follow
 * the relations `message`, its row, and `stamped`, the ticket's. Who wrote a new message is its author.
 */
export function withEvent(
  action: MessageEvent['action'],
  { personId, source }: Pick<Caller, 'personId' | 'source'>,
  { copies, files }: Parts = {},
): RawBuilder<unknown> {
  const actor =
    action === 'created'
      ? sql`'userId', m.author_id, 'source', m.source`
      : sql`'userId', ${personId}::text, 'source', ${source}::text`;
  return sql`record as (
    select m.message, json_build_object('type', 'Message', 'action', ${sql.lit(action)}, 'workspaceId', m.workspace_id,
      'actor', json_build_object(${actor}),
      'data', m.message,
      'ticket', json_build_object('id', t.id, 'code', q.prefix || '-' || t.number, 'queueId', t.queue_id),
      'changes', null) as event
    from (select m.*, ${messageJson(copies, files)} as message from message m) m
    cross join stamped t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id)`;
}
