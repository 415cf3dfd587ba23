import { type Insertable, sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody, type TicketMessage } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { requireIds } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { lockTicketNamed, nextStamp, type StoredTicket } from '../tickets/find.ts';
import { messageRecord } from './records.ts';
import { sentAt } from './sent-at.ts';
import { stamping } from './stamp.ts';
import { tellMessage } from './tell.ts';

interface Context {
  tools: Tools;
  caller: Caller;
  now: Date;
  outbox: Outbox;
}

export interface Stored {
  ticket: StoredTicket;
  message: TicketMessage;
  /** Null if the chat pair was already stored: then nothing was written. */
  created: {
    stamp: Date;
    /** Whether the ticket's queue uses AI agents. */
    asksAgents: boolean;
    /** Whether this is the first reply by a user other than the requester. */
    responds: boolean;
  } | null;
}

/**
 * Adds a message to a ticket, with its event. A chat pair that is already stored returns that message. 404 for an
 * unknown ticket.
 */
export async function createMessage(
  tx: ServiceTx,
  { tools, caller, now, outbox }: Context,
  body: ParsedBody<'createTicketMessage'>,
): Promise<Stored> {
  const ticket = await lockTicketNamed(tx, caller, body.ticketId, body.workspaceId);
  const { workspace_id: workspaceId } = ticket;
  const pair =
    body.chatChannelId && body.chatTimestamp
      ? ([body.chatChannelId, body.chatTimestamp] as const)
      : undefined;
  const stored = pair ? await storedMessage(tx, workspaceId, ...pair) : null;
  if (stored !== null)
    return { ticket, message: await messageRecord(tx, workspaceId, stored), created: null };
  if (body.authorId) await requireIds(tx, 'person', workspaceId, [body.authorId], 'authorId');
  const authorId = body.authorId ?? (caller.workspaceId === workspaceId ? caller.personId : null);
  const isPrivate = body.private ?? false;
  const stamp = nextStamp(ticket, now);
  const id = tools.newId(ID_PREFIXES.ticketMessage);
  const row = {
    workspace_id: workspaceId,
    id,
    ticket_id: ticket.id,
    content: body.content,
    author_id: authorId,
    source: body.source ?? 'API',
    status: 'CREATED' as const,
    chat_channel_id: body.chatChannelId || null,
    private: isPrivate,
    created_at: sentAt(body.chatTimestamp, stamp),
    updated_at: stamp,
  };
  const copy = pair && {
    workspace_id: workspaceId,
    id: tools.newId(ID_PREFIXES.chatMessage),
    ticket_message_id: id,
    channel_id: pair[0],
    ts: pair[1],
    created_at: stamp,
    updated_at: stamp,
  };
  const { prefix, asks_agents: asksAgents } = await insert(tx, ticket, row, copy);
  const message = await messageRecord(tx, workspaceId, id);
  tellMessage(outbox, { caller, ticket, prefix, message, action: 'created' });
  const responds =
    ticket.responded_at === null && !isPrivate && authorId !== null && authorId !== ticket.requester_id;
  return { ticket, message, created: { stamp, asksAgents, responds } };
}

/** Stores a message, its copy in chat, and the ticket's instant; returns the ticket's queue. */
function insert(
  tx: ServiceTx,
  ticket: StoredTicket,
  message: Insertable<Tables['ticket_message']> & { updated_at: Date },
  copy: Insertable<Tables['chat_message']> | undefined,
) {
  const stored = tx
    .with('stamped', (db) => stamping(db, ticket, message.updated_at))
    .with('message', (db) => db.insertInto('ticket_message').values(message));
  const all: typeof stored = copy
    ? stored.with('copy', (db) => db.insertInto('chat_message').values(copy))
    : stored;
  return all.selectFrom('stamped').selectAll().executeTakeFirstOrThrow();
}

/**
 * Returns the message of a chat pair. Holds a lock on the pair until the transaction ends: the ticket's lock is not
 * enough, because a caller may name another ticket for the same pair.
 */
async function storedMessage(
  tx: ServiceTx,
  workspaceId: string,
  channelId: string,
  ts: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select message_of_chat_message(${workspaceId}, ${channelId}, ${ts}) as id`.execute(tx);
  return rows[0]?.id ?? null;
}
