import { sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { requireIds } from '../references.ts';
import { lockTicketNamed, type StoredTicket } from '../tickets/find.ts';
import { takeStamp } from './lock.ts';
import { sentAt } from './sent-at.ts';

interface Context {
  tools: Tools;
  caller: Caller;
  now: Date;
}

export interface Stored {
  ticket: StoredTicket;
  id: string;
  /** False where the chat pair was stored before: nothing was written then. */
  created: boolean;
  /** Whether this is the first reply by someone other than the requester. */
  responds: boolean;
}

/** Adds a message to a ticket. A chat pair that was stored before answers that message. 404 for an unknown ticket. */
export async function createMessage(
  tx: ServiceTx,
  { tools, caller, now }: Context,
  body: ParsedBody<'createTicketMessage'>,
): Promise<Stored> {
  const ticket = await lockTicketNamed(tx, caller, body.ticketId);
  const { workspace_id: workspaceId } = ticket;
  const pair =
    body.chatChannelId && body.chatTimestamp
      ? ([body.chatChannelId, body.chatTimestamp] as const)
      : undefined;
  const stored = pair && (await storedMessage(tx, workspaceId, ...pair));
  if (stored !== undefined) return { ticket, id: stored, created: false, responds: false };
  if (body.authorId) await requireIds(tx, 'person', workspaceId, [body.authorId], 'authorId');
  const authorId = body.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const isPrivate = body.private ?? false;
  const stamp = await takeStamp(tx, ticket, now);
  const id = tools.newId(ID_PREFIXES.ticketMessage);
  await tx
    .insertInto('ticket_message')
    .values({
      workspace_id: workspaceId,
      id,
      ticket_id: ticket.id,
      content: body.content,
      author_id: authorId,
      source: body.source ?? 'API',
      status: 'CREATED',
      chat_channel_id: body.chatChannelId || null,
      private: isPrivate,
      created_at: sentAt(body.chatTimestamp, stamp),
      updated_at: stamp,
    })
    .execute();
  if (pair)
    await tx
      .insertInto('chat_message')
      .values({
        workspace_id: workspaceId,
        id: tools.newId(ID_PREFIXES.chatMessage),
        ticket_message_id: id,
        channel_id: pair[0],
        ts: pair[1],
        created_at: stamp,
        updated_at: stamp,
      })
      .execute();
  const responds =
    ticket.responded_at === null && !isPrivate && authorId !== null && authorId !== ticket.requester_id;
  return { ticket, id, created: true, responds };
}

/**
 * The message of a chat pair. Holds a lock on the pair until the transaction ends: the ticket's lock alone would not
 * do, since a caller may name another ticket for the same pair.
 */
async function storedMessage(
  tx: ServiceTx,
  workspaceId: string,
  channelId: string,
  ts: string,
): Promise<string | undefined> {
  const pair = JSON.stringify(['message', workspaceId, channelId, ts]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${pair}, 0))`.execute(tx);
  const row = await tx
    .selectFrom('chat_message')
    .select('ticket_message_id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('ts', '=', ts)
    .executeTakeFirst();
  return row?.ticket_message_id;
}
