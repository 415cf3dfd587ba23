import type { Insertable } from 'kysely';

import { ID_PREFIXES, type ParsedBody, type TicketMessage } from '../../contract/index.ts';
import { Outdated } from '../../platform/database/open.ts';
import { defaultSource } from '../access/identity.ts';
import { requireAccess } from '../access/ticket-access.ts';
import { askAgents } from '../agents/ask.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { found } from '../problem.ts';
import { requireIds } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { ticketKey, nextStamp, type StoredTicket, type TicketKey, ticketNamed } from '../tickets/find.ts';
import { groupOf } from '../tickets/statuses.ts';
import { addMessageEvent } from './event.ts';
import { messageRecord } from './records.ts';
import { effectsOf, type ReplyEffects } from './reply.ts';
import { chatTime } from './chat-time.ts';

type Body = ParsedBody<'createTicketMessage'>;
interface Context {
  tools: Pick<Tools, 'newId'>;
  caller: Caller;
  now: Date;
  /**
   * The AI agent that writes it; by default the one that acts with the caller's key, else the ticket's own, of a message
   * from `AGENT` without a named author.
   */
  agentId?: string;
  /** The workflow that writes it. */
  workflowId?: string;
}

export interface Stored {
  message: TicketMessage;
  /** False if the chat pair was already stored: then nothing was written. */
  created: boolean;
  ticket: TicketKey & { requesterId: string | null; statusGroup: string };
  /** The ticket fields that the message changes. */
  effects: ReplyEffects;
}

/**
 * Adds a message to a ticket, or to the one that it was merged into. A chat pair that is already stored returns that
 * message. What it changes of the ticket is the caller's to write.
 * @param outbox gets the event, and the work for AI agents.
 * @throws 404 for an unknown ticket, 403 for a signed-in person who may not write to it, 422 for an unknown author;
 *   `Outdated` if the chat pair was stored meanwhile.
 */
export async function createMessage(
  tx: ServiceTx,
  context: Context,
  body: Body,
  outbox: Outbox,
): Promise<Stored> {
  const { tools, caller, now, agentId = caller.agent?.id, workflowId } = context;
  const isPrivate = body.private ?? false;

  // 1. Find the ticket, check that the caller may write to it, and lock it.
  const { ticket, mergedFrom } = await lockTicketFor(tx, caller, body);
  const { workspace_id: workspaceId, id: ticketId } = ticket;
  const group = await groupOf(tx, workspaceId, ticket.status_id);
  const key = { ...ticketKey(ticket), requesterId: ticket.requester_id, statusGroup: group.label };

  // 2. Return the message of the chat pair, if it is stored.
  const pair =
    body.chatChannelId && body.chatTimestamp
      ? { channelId: body.chatChannelId, ts: body.chatTimestamp }
      : undefined;
  const stored = pair && (await messageOfPair(tx, workspaceId, pair));
  if (stored !== undefined) {
    const message = await messageRecord(tx, workspaceId, stored);
    return { message, created: false, ticket: key, effects: {} };
  }

  // 3. Check the author.
  if (typeof body.authorId === 'string')
    await requireIds(tx, 'person', workspaceId, [body.authorId], 'authorId');
  const authorId = body.authorId ?? (workspaceId === caller.workspaceId ? caller.personId : null);

  // 4. Stamp the ticket. A reply by the person who claimed it ends the claim.
  const stamp = nextStamp(ticket, now);
  const endsClaim = !isPrivate && authorId !== null && authorId === ticket.claim_person_id;
  await tx
    .updateTable('ticket')
    .set({ stamped_at: stamp, ...(endsClaim && { claim_person_id: null, claim_until: null }) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', ticketId)
    .execute();

  // 5. Write the message. A trigger marks it, and its words are indexed when the transaction ends.
  const messageId = tools.newId(ID_PREFIXES.ticketMessage);
  const source = body.source ?? defaultSource(caller);
  const ticketAgent = source === 'AGENT' && !body.authorId ? ticket.assigned_ai_agent : null;
  await tx
    .insertInto('ticket_message')
    .values({
      workspace_id: workspaceId,
      id: messageId,
      ticket_id: ticketId,
      content: body.content,
      author_id: authorId,
      ai_agent_id: agentId ?? ticketAgent,
      workflow_id: workflowId ?? null,
      source,
      status: 'CREATED',
      chat_channel_id: body.chatChannelId || null,
      private: isPrivate,
      created_at: await chatTime(tx, key, body, stamp),
      updated_at: stamp,
      stored_at: stamp,
    })
    .execute();

  // 6. Record its copy in chat.
  if (pair)
    await writeCopy(tx, {
      workspace_id: workspaceId,
      id: tools.newId(ID_PREFIXES.chatMessage),
      ticket_message_id: messageId,
      channel_id: pair.channelId,
      ts: pair.ts,
      thread_id: mergedFrom === undefined ? null : await threadOf(tx, mergedFrom, pair.channelId),
      created_at: stamp,
      updated_at: stamp,
    });

  // 7. Add the event.
  const message = await messageRecord(tx, workspaceId, messageId);
  await addMessageEvent(tx, { caller, outbox }, 'created', ticket, message);

  // 8. Ask AI agents, if the requester wrote it for all to read.
  if (!isPrivate && authorId !== null && authorId === ticket.requester_id)
    await askAgents(tx, outbox, ticket, messageId);

  return {
    message,
    created: true,
    ticket: key,
    effects: await effectsOf(
      tx,
      ticket,
      { authorId, agentId: agentId ?? ticketAgent, source, private: isPrivate, at: stamp },
      { kind: group.kind, now },
    ),
  };
}

interface LockedTicket {
  ticket: StoredTicket;
  /** The ticket that the caller named, if it was merged into this one. */
  mergedFrom: TicketKey | undefined;
}

/**
 * Locks the ticket that a message is for: the one that the caller names, or the one that it was merged into. A merged
 * ticket is read without a lock: merging locks tickets in the order of their ids, and this order is another one.
 */
export async function lockTicketFor(
  tx: ServiceTx,
  caller: Caller,
  body: Pick<Body, 'ticketId' | 'workspaceId' | 'private'>,
): Promise<LockedTicket> {
  const allowed = body.private ? 'team' : 'participant';
  let { workspaceIds, id } = found(await ticketNamed(tx, caller, body.ticketId, body.workspaceId));
  let mergedFrom: TicketKey | undefined;
  for (;;) {
    const named = tx
      .selectFrom('ticket')
      .selectAll()
      .where('workspace_id', 'in', workspaceIds)
      .where('id', '=', id)
      .limit(1);
    const ticket = await named.where('merged_into_id', 'is', null).forNoKeyUpdate().executeTakeFirst();
    if (ticket) {
      await requireAccess(tx, caller, ticketKey(ticket), allowed);
      return { ticket, mergedFrom };
    }
    const merged = found(await named.executeTakeFirst());
    await requireAccess(tx, caller, ticketKey(merged), allowed);
    // The merge may have been undone between the two statements.
    if (merged.merged_into_id === null) continue;
    mergedFrom ??= ticketKey(merged);
    [workspaceIds, id] = [[merged.workspace_id], merged.merged_into_id];
  }
}

async function messageOfPair(
  tx: ServiceTx,
  workspaceId: string,
  { channelId, ts }: { channelId: string; ts: string },
): Promise<string | undefined> {
  const copy = await tx
    .selectFrom('chat_message')
    .select('ticket_message_id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('ts', '=', ts)
    .executeTakeFirst();
  return copy?.ticket_message_id;
}

/** The pair is unique: of two calls with it, the second waits here for the first, and then finds its message. */
async function writeCopy(tx: ServiceTx, copy: Insertable<Tables['chat_message']>): Promise<void> {
  const written = await tx
    .insertInto('chat_message')
    .values(copy)
    .onConflict((existing) => existing.columns(['workspace_id', 'channel_id', 'ts']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!written) throw new Outdated('the chat pair of a message was stored meanwhile');
}

/**
 * Returns the thread that a merged ticket has in a channel: the bridge would take a message in it for one in the other
 * ticket's thread.
 */
async function threadOf(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  channelId: string,
): Promise<string | null> {
  const thread = await tx
    .selectFrom('chat_thread')
    .select('message_ts')
    .where('workspace_id', '=', workspaceId)
    .where('ticket_id', '=', id)
    .where('channel_id', '=', channelId)
    .orderBy('replaced_at', (order) => order.desc().nullsFirst())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return thread?.message_ts ?? null;
}
