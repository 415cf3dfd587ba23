import { type RawBuilder, sql } from 'kysely';

import { cut, type Notification, type NotificationKind } from '../../contract/index.ts';
import { parseMarkdown, wordsOf } from '../../platform/text/markdown.ts';
import { isVisibleTo, viewerOf } from '../access/viewer.ts';
import type { Caller, Handlers, ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { contains, idsInSet, isOfEmail, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { codeOf } from '../ticket-code.ts';
import { mayBeTold } from './readable.ts';

const ORDER = {
  keys: { at: timeKey('n.created_at'), kind: textKey('n.kind'), ticketId: textKey('n.ticket_id') },
  sortBy: 'at',
  sortDirection: 'desc',
  id: 'n.id',
} as const;

type Names = 'listNotifications' | 'countNotifications' | 'readNotifications';

/** The inbox of the person of a session; a key has the inbox of its own user. */
export const notificationHandlers: Pick<Handlers, Names> = {
  async listNotifications({ caller, query }, db) {
    let rows = visibleNotifications(db, caller, listedWorkspaces(caller, query.workspaceId));
    const ids = idsInSet(query.set);
    if (ids) rows = rows.where(isOneOf('n.id', ids));
    if (query.ticketId) rows = rows.where('n.ticket_id', '=', query.ticketId);
    if (query.unread === true) rows = rows.where('n.read_at', 'is', null);
    if (query.unread === false) rows = rows.where('n.read_at', 'is not', null);
    if (query.email) rows = rows.where(isOfEmail(caller, 'n.actor_id', query.email));
    if (query.search)
      rows = rows.where(sql<boolean>`(${seesTicket(caller)} and ${contains(['t.title'], query.search)})`);
    return readPage(caller, await selectPage(rows, ORDER, query), (shown) => records(db, caller, shown));
  },

  countNotifications: ({ caller }, db) => unreadCount(db, caller),

  async readNotifications({ caller, body, now }, tx) {
    let rows = tx
      .updateTable('notification')
      .set({ read_at: now })
      .where('workspace_id', '=', caller.workspaceId)
      .where('person_id', '=', caller.personId ?? '')
      .where('read_at', 'is', null);
    if (body.ids) rows = rows.where(isOneOf('id', body.ids));
    if (body.ticketId) rows = rows.where('ticket_id', '=', body.ticketId);
    await rows.execute();
    return unreadCount(tx, caller);
  },
};

/** Whether the caller sees the ticket `t` now. */
function seesTicket(caller: Caller): RawBuilder<boolean> {
  const viewer = viewerOf(caller);
  return viewer ? isVisibleTo(viewer) : sql<boolean>`true`;
}

/** Returns the person's notifications `n` that they may read now, with ticket `t` and message `m`. */
function visibleNotifications(db: ServiceDb, caller: Caller, workspaceIds: readonly string[]) {
  const rows = db
    .selectFrom('notification as n')
    .innerJoin('ticket as t', (on) =>
      on.onRef('t.workspace_id', '=', 'n.workspace_id').onRef('t.id', '=', 'n.ticket_id'),
    )
    .leftJoin('ticket_message as m', (on) =>
      on.onRef('m.workspace_id', '=', 'n.workspace_id').onRef('m.id', '=', 'n.message_id'),
    )
    .where(isOneOf('n.workspace_id', workspaceIds))
    .where('n.person_id', '=', caller.personId ?? '');
  const viewer = viewerOf(caller);
  if (!viewer) return rows;
  return rows.where(mayBeTold(viewer, 'n.kind'));
}

/** Every desk that is open asks every few seconds: without limits to what the person sees, an index answers. */
async function unreadCount(
  db: ServiceDb,
  caller: Caller,
): Promise<{ unread: number; latestId: string | null }> {
  const count = [sql<number>`count(*)`.as('unread'), sql<string | null>`max(n.id)`.as('latestId')] as const;
  if (viewerOf(caller))
    return visibleNotifications(db, caller, [caller.workspaceId])
      .where('n.read_at', 'is', null)
      .select(count)
      .executeTakeFirstOrThrow();
  return db
    .selectFrom('notification as n')
    .where('workspace_id', '=', caller.workspaceId)
    .where('person_id', '=', caller.personId ?? '')
    .where('read_at', 'is', null)
    .select(count)
    .executeTakeFirstOrThrow();
}

/** Characters of a message in the inbox, and how much of it is read for them. */
const EXCERPT = 200;
const READ_FOR_EXCERPT = 2_000;

async function records(db: ServiceDb, caller: Caller, ids: readonly string[]): Promise<Notification[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{
    id: string;
    kind: NotificationKind;
    ticket_id: string;
    message_id: string | null;
    prefix: string;
    number: number;
    title: string | null;
    actor_id: string | null;
    actor: string | null;
    content: string | null;
    created_at: Date;
    read_at: Date | null;
  }>`
    select n.id, n.kind, n.ticket_id, n.message_id, n.created_at, n.read_at, q.prefix, t.number,
      case when ${seesTicket(caller)} then t.title end as title,
      case when m.deleted_at is null then left(m.content, ${READ_FOR_EXCERPT}) end as content,
      coalesce(g.id, w.id, p.id) as actor_id,
      coalesce(g.name, w.name, nullif(concat_ws(' ', nullif(p.first_name, ''), nullif(p.last_name, '')), ''), p.email, '')
        as actor
    from notification n
    join ticket t on t.workspace_id = n.workspace_id and t.id = n.ticket_id
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
    left join ticket_message m on m.workspace_id = n.workspace_id and m.id = n.message_id
    left join person p on p.workspace_id = n.workspace_id and p.id = n.actor_id
    -- They write in the name of nobody, or of the key that they have.
    left join ai_agent g on g.workspace_id = m.workspace_id and g.id = m.ai_agent_id
    left join workflow w on w.workspace_id = m.workspace_id and w.id = m.workflow_id
    where n.workspace_id = any(${caller.workspaceIds}::text[]) and n.id = any(${ids}::text[])`.execute(db);
  return inOrder(ids, rows).map((row) => ({
    id: row.id,
    kind: row.kind,
    ticketId: row.ticket_id,
    messageId: row.message_id,
    ticket: { code: codeOf(row.prefix, row.number), title: row.title },
    actor: row.actor_id === null ? null : { id: row.actor_id, name: row.actor ?? '' },
    excerpt: row.content === null ? null : excerptOf(row.content),
    at: iso(row.created_at),
    readAt: isoOrNull(row.read_at),
  }));
}

function excerptOf(content: string): string {
  const words = wordsOf(parseMarkdown(content)).replaceAll(/\s+/g, ' ').trim();
  return words.length <= EXCERPT ? words : `${cut(words, EXCERPT).trimEnd()}…`;
}
