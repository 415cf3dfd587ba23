import { type RawBuilder, sql } from 'kysely';

import type { File, TicketFile } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { jsonInstant } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';

/** Images with more pixels are not drawn: small files can describe pictures of any size. */
export const MAX_PIXELS = 50_000_000;

/** Where the service answers, as in its OpenAPI document: a path from the server's root, which browsers resolve. */
const FILES = sql.lit('/api/files/');

const fields = sql`'id', x.id, 'name', x.name, 'type', x.type, 'size', x.size, 'width', x.width, 'height', x.height,
  'url', ${FILES} || x.id,
  'thumbnailUrl', case when x.width::bigint * x.height <= ${sql.lit(MAX_PIXELS)} then ${FILES} || x.id || '/thumbnail' end`;

/** The fields of a file on its ticket or message, of a row `x`. */
export const ticketFileJson = sql<TicketFile>`json_build_object(${fields})`;

/** The fields of a file by itself, of a row `x`. */
export const fileJson = sql<File>`json_build_object(${fields}, 'hash', x.hash, 'ticketId', x.ticket_id,
  'messageId', x.ticket_message_id, 'authorId', x.author_id, 'attachedAt', ${jsonInstant('x.attached_at')},
  'createdAt', ${jsonInstant('x.created_at')})`;

const filesWhere = (condition: RawBuilder<unknown>) =>
  sql`(select coalesce(json_agg(${ticketFileJson} order by x.id), '[]') from file x where ${condition})`;

/** The files of a message `m`. */
export const filesOfMessage = filesWhere(sql`x.workspace_id = m.workspace_id and x.ticket_message_id = m.id`);

/** The files of a ticket `t` itself, without those of its messages. */
export const filesOfTicket = filesWhere(
  sql`x.workspace_id = t.workspace_id and x.ticket_id = t.id and x.ticket_message_id is null
    and x.attached_at is not null`,
);

/** Files by id, in the order of `ids`. */
export async function fileRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  ids: readonly string[],
): Promise<File[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('file as x')
    .select(fileJson.as('file'))
    .where('x.workspace_id', 'in', workspaceIds)
    .where('x.id', 'in', ids)
    .execute();
  return inOrder(
    ids,
    rows.map(({ file }) => file),
  );
}
