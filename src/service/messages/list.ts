import { sql } from 'kysely';

import { LIMITS, type ParsedQuery, type TicketMessage } from '../../contract/index.ts';
import { isReadableBy, viewerOf } from '../access/viewer.ts';
import type { Caller, ServiceDb } from '../handler.ts';
import { contains, idsInSet, isOfEmail, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { textBytesOf, bytesOfRows, textKey, timeKey } from '../lists/page.ts';
import { messageJson } from './records.ts';
import { shownMessages } from './shown.ts';

/** About how many bytes a message takes, with its reactions and copies in chat. */
const messageBytes = sql<number>`(
  ${textBytesOf('m.content')}
  + ${bytesOfRows(sql`reaction x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id`)}
  + ${bytesOfRows(sql`chat_message x where x.workspace_id = m.workspace_id and x.ticket_message_id = m.id`)})`;

export const MESSAGE_ORDER = {
  keys: {
    createdAt: timeKey('m.created_at'),
    updatedAt: timeKey('m.updated_at'),
    ticketId: textKey('m.ticket_id'),
    authorId: textKey('m.author_id'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'm.id',
  bytes: messageBytes,
} as const;

/** Returns the messages of a list, including deleted ones by default, so that clients see deletions. */
export function messagesMatching(
  db: ServiceDb,
  caller: Caller,
  query: Partial<ParsedQuery<'listTicketMessages'>>,
  workspaceIds: readonly string[] = listedWorkspaces(caller, query.workspaceId),
) {
  let rows = db.selectFrom('ticket_message as m').where(isOneOf('m.workspace_id', workspaceIds));
  const viewer = viewerOf(caller);
  if (viewer) rows = rows.where(isReadableBy(viewer));
  const ids = idsInSet(query.set);
  if (ids) rows = rows.where(isOneOf('m.id', ids));
  if (query.ticketId) rows = rows.where('m.ticket_id', '=', query.ticketId);
  if (typeof query.private === 'boolean') rows = rows.where('m.private', '=', query.private);
  if (query.includeDeleted === false) rows = rows.where('m.deleted_at', 'is', null);
  if (query.updatedFrom) rows = rows.where('m.updated_at', '>=', new Date(query.updatedFrom));
  if (query.email) rows = rows.where(isOfEmail(caller, 'm.author_id', query.email));
  if (query.search) rows = rows.where(contains(['m.content'], query.search));
  return rows;
}

/**
 * Returns a ticket's messages changed since an instant, in that order; undefined if they are too many or too large to
 * come with their ticket.
 */
export async function messagesSince(
  db: ServiceDb,
  caller: Caller,
  workspaceIds: readonly string[],
  ticketId: string,
  updatedFrom: string,
): Promise<TicketMessage[] | undefined> {
  const changed = messagesMatching(db, caller, { ticketId, updatedFrom }, workspaceIds)
    .orderBy('m.updated_at')
    .orderBy('m.id')
    .limit(LIMITS.messagesWithTicket + 1);
  const sizes = await changed.select(messageBytes.as('bytes')).execute();
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  if (sizes.length > LIMITS.messagesWithTicket || bytes > LIMITS.messagesWithTicketBytes) return undefined;
  const rows = await changed.select(messageJson.as('message')).execute();
  return shownMessages(
    caller,
    rows.map(({ message }) => message),
  );
}
