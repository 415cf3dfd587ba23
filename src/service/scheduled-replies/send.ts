import type { ScheduledReplyHold } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/database/open.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/repeating.ts';
import { requireAccess } from '../access/ticket-access.ts';
import { writeWithEvents } from '../delivery/store.ts';
import type { ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { postMessage } from '../messages/post.ts';
import { tellPeople } from '../notifications/store.ts';
import type { Outbox } from '../outbox.ts';
import { ServiceProblem } from '../problem.ts';
import { callerOfPerson } from '../sessions/caller-with-session.ts';
import { ticketKey, lockTicket, type StoredTicket, type TicketKey } from '../tickets/find.ts';
import { announce, type ChangingTogether, detailsOf } from '../tickets/together.ts';
import { updateTicket } from '../tickets/update.ts';
import type { ServiceEngine } from '../work.ts';
import type { StoredReply } from './records.ts';

const EVERY_MS = 1_000;
/** Replies per look. */
const AT_ONCE = 200;

export interface ScheduledReplyOptions {
  db: ServiceDb;
  engine: ServiceEngine;
  tools: Tools;
  clock: Clock;
  log: Log;
  /** Milliseconds between looks; default a second. */
  everyMs?: number | undefined;
}

/** Sends scheduled replies in the background until it is stopped; what fails is repeated. */
export function startScheduledReplies({
  db,
  engine,
  tools,
  clock,
  log,
  everyMs = EVERY_MS,
}: ScheduledReplyOptions): Running {
  return startRepeating({
    work: () => sendScheduledReplies(db, engine, { tools, log, now: clock.now() }),
    everyMs,
    log,
    failed: 'could not send scheduled replies',
  });
}

interface Context {
  tools: Tools;
  now: Date;
}

type ReplyKey = Pick<StoredReply, 'workspace_id' | 'id' | 'ticket_id'>;

/**
 * Sends the replies that are due, each in a transaction of its own, in which it becomes a message and is gone: once, however
 * many processes do so, and wherever one of them is killed. Returns whether there are more.
 */
export async function sendScheduledReplies(
  db: ServiceDb,
  engine: ServiceEngine,
  { tools, log, now }: Context & { log: Log },
): Promise<boolean> {
  const due = await db
    .selectFrom('scheduled_reply')
    .select(['workspace_id', 'id', 'ticket_id'])
    .where('send_at', '<=', now)
    .where('held_because', 'is', null)
    .orderBy('send_at')
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
  let failed = 0;
  for (const reply of due)
    try {
      await sendOrHold(db, engine, reply, { tools, now });
    } catch (error) {
      failed++;
      log.warn({ err: error, scheduledReplyId: reply.id }, 'could not send a scheduled reply');
    }
  return due.length === AT_ONCE && failed === 0;
}

async function sendOrHold(
  db: ServiceDb,
  engine: ServiceEngine,
  key: ReplyKey,
  { tools, now }: Context,
): Promise<void> {
  try {
    await writeWithEvents(engine, { newId: tools.newId, now }, (tx, outbox) =>
      send(tx, key, { tools, now, outbox }),
    );
  } catch (error) {
    if (!(error instanceof ServiceProblem)) throw error;
    // What it would have written is undone: its author may not write to the ticket any more, or a file is gone.
    const why: Why = { because: 'refused', detail: error.message };
    await transaction(db, async (tx) => {
      const locked = await lockDue(tx, key, now);
      if (locked) await hold(tx, locked.reply, why, { tools, now });
    });
  }
}

async function send(
  tx: ServiceTx,
  key: ReplyKey,
  { tools, now, outbox }: Context & { outbox: Outbox },
): Promise<void> {
  const locked = await lockDue(tx, key, now);
  if (!locked) return;
  const { reply, ticket } = locked;
  const author = await tx
    .selectFrom('person')
    .select(['workspace_id', 'id as person_id', 'role', 'queue_ids', 'deactivated_at', 'erased_at'])
    .where('workspace_id', '=', reply.workspace_id)
    .where('id', '=', reply.author_id)
    .executeTakeFirstOrThrow();
  const hasLeft = author.deactivated_at !== null || author.erased_at !== null;
  const because = hasLeft ? 'author-left' : await whyNotNow(tx, ticket, reply);
  if (because) return hold(tx, reply, { because, detail: null }, { tools, now });
  await tx
    .deleteFrom('scheduled_reply')
    .where('workspace_id', '=', reply.workspace_id)
    .where('id', '=', reply.id)
    .execute();
  // With the rights that its author has now.
  const caller = callerOfPerson(author, reply.id);
  const changing = { tools, caller, now, outbox };
  const { id: ticketId, workspace_id: workspaceId } = ticket;
  const { content, file_ids: fileIds } = reply;
  await postMessage(tx, changing, { ticketId, workspaceId, content, fileIds });
  if (reply.status_id !== null) await setStatus(tx, changing, ticketKey(ticket), reply.status_id);
}

/** Gives a ticket the status that was chosen with the reply. */
async function setStatus(
  tx: ServiceTx,
  changing: ChangingTogether,
  ticket: TicketKey,
  statusId: string,
): Promise<void> {
  await requireAccess(tx, changing.caller, ticket, 'team');
  const before = await detailsOf(tx, ticket.workspaceId, [ticket.id], changing.now);
  const isChanged = await updateTicket(tx, changing, await lockTicket(tx, ticket), { data: { statusId } });
  if (isChanged) await announce(tx, changing, ticket.workspaceId, before);
}

/**
 * Locks a reply that is due, and before it its ticket; undefined if it is no longer due there: another process has sent it,
 * its author has changed it, or a merge took it along.
 */
async function lockDue(
  tx: ServiceTx,
  { workspace_id: workspaceId, id, ticket_id: ticketId }: ReplyKey,
  now: Date,
): Promise<{ reply: StoredReply; ticket: StoredTicket } | undefined> {
  const ticket = await lockTicket(tx, { workspaceId, id: ticketId });
  const reply = await tx
    .selectFrom('scheduled_reply')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('ticket_id', '=', ticketId)
    .where('send_at', '<=', now)
    .where('held_because', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return reply && { reply, ticket };
}

/** Returns what speaks against sending a reply now that its author could not know when they scheduled it. */
async function whyNotNow(
  tx: ServiceTx,
  ticket: StoredTicket,
  reply: StoredReply,
): Promise<ScheduledReplyHold | undefined> {
  const { resolved_at: resolvedAt, closed_at: closedAt, archived_at: archivedAt } = ticket;
  // One that had ended before, its author answers knowingly.
  const hasEnded = [resolvedAt, closedAt, archivedAt].some((at) => at !== null && at > reply.known_at);
  if (hasEnded) return 'ticket-closed';
  if (ticket.requester_id === null || ticket.requester_id === reply.author_id) return undefined;
  const answer = await tx
    .selectFrom('ticket_message')
    .select('id')
    .where('workspace_id', '=', ticket.workspace_id)
    .where('ticket_id', '=', ticket.id)
    .where('author_id', '=', ticket.requester_id)
    .where('private', '=', false)
    .where('deleted_at', 'is', null)
    // What was sent before may have come since: its author could not read it.
    .where((is) => is(is.fn.coalesce('stored_at', 'created_at'), '>', reply.known_at))
    .limit(1)
    .executeTakeFirst();
  return answer && 'requester-replied';
}

interface Why {
  because: ScheduledReplyHold;
  detail: string | null;
}

/** Holds a locked reply back, and tells its author. */
async function hold(
  tx: ServiceTx,
  reply: StoredReply,
  { because, detail }: Why,
  { tools, now }: Context,
): Promise<void> {
  const { workspace_id: workspaceId, id } = reply;
  await tx
    .updateTable('scheduled_reply')
    .set({ held_because: because, held_detail: detail, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  await tellPeople(
    tx,
    workspaceId,
    [reply.author_id],
    // Of each time it is held back.
    { kind: 'reply-held', ticketId: reply.ticket_id, sourceId: `${id} ${now.toISOString()}` },
    { newId: tools.newId, now },
  );
}
