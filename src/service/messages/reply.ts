import { sql } from 'kysely';

import type { Source, TicketMessage } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import type { Outbox } from '../outbox.ts';
import { recordActivity } from '../tickets/activity.ts';
import { clockColumns } from '../tickets/clock-columns.ts';
import { addTicketEvent } from '../tickets/events.ts';
import { lockTicket, type StoredTicket, type TicketKey } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';
import { endsAfter } from '../tickets/status-effects.ts';
import { openStatus, type StatusKind } from '../tickets/statuses.ts';

/** The columns of its ticket that a new message changes. */
export type ReplyEffects = Partial<
  Pick<StoredTicket, 'responded_at' | 'snooze_until' | 'status_id' | 'resolved_at' | 'closed_at'>
>;

/** A message that is being stored. */
interface NewReply {
  authorId: string | null;
  /** The AI agent that wrote it. */
  agentId: string | null;
  source: Source;
  private: boolean;
  at: Date;
}

/**
 * Returns what a message changes of its ticket: the first reply of a person other than the requester answers it, and a
 * reply of the requester ends a snooze, and opens a ticket that waits for it. Internal notes change nothing.
 */
export async function effectsOf(
  tx: ServiceTx,
  ticket: StoredTicket,
  message: NewReply,
  { kind, now }: { kind: StatusKind; now: Date },
): Promise<ReplyEffects> {
  const { authorId, at } = message;
  if (message.private) return {};
  if (authorId === null || authorId !== ticket.requester_id) {
    const answers = ticket.responded_at === null && (await countsAsReply(tx, ticket, message));
    return answers ? { responded_at: at } : {};
  }
  const isSnoozed = ticket.snooze_until !== null && ticket.snooze_until > now;
  const opens = kind === 'PENDING' && (await opensOnReply(tx, ticket));
  return {
    ...(isSnoozed && { snooze_until: null }),
    ...(opens && { status_id: await openStatus(tx, ticket.workspace_id), ...endsAfter('OPEN', ticket, at) }),
  };
}

/** The sources of what no person wrote. */
const AUTOMATED: readonly Source[] = ['AGENT', 'WORKFLOW', 'SLA', 'SYSTEM'];

/**
 * Returns whether a public message answers the requester: a person's does; one of an AI agent, or of a program that
 * writes in nobody's name, does only in a queue that says so.
 */
async function countsAsReply(
  tx: ServiceTx,
  ticket: StoredTicket,
  { authorId, agentId, source }: NewReply,
): Promise<boolean> {
  const { rows } = await sql<{ counts: boolean; is_program: boolean }>`
    select coalesce((q.settings ->> 'countAutomatedReplies')::boolean, false) as counts,
      exists (select from person p where p.workspace_id = q.workspace_id and p.id = ${authorId} and p.is_bot)
        or exists (select from api_key k where k.person_id = ${authorId}) as is_program
    from queue q where q.workspace_id = ${ticket.workspace_id} and q.id = ${ticket.queue_id}`.execute(tx);
  const [queue] = rows;
  const isAutomated =
    authorId === null || agentId !== null || AUTOMATED.includes(source) || queue?.is_program === true;
  return !isAutomated || queue?.counts === true;
}

async function opensOnReply(tx: ServiceTx, ticket: StoredTicket): Promise<boolean> {
  const { opens } = await tx
    .selectFrom('queue')
    .select(sql<boolean>`coalesce((settings ->> 'openOnReply')::boolean, true)`.as('opens'))
    .where('workspace_id', '=', ticket.workspace_id)
    .where('id', '=', ticket.queue_id)
    .executeTakeFirstOrThrow();
  return opens;
}

/** Writes to a ticket what a new message changes of it, with the ticket's event and activity. */
export async function writeEffects(
  tx: ServiceTx,
  { tools, caller, now, outbox }: { tools: Pick<Tools, 'newId'>; caller: Caller; now: Date; outbox: Outbox },
  key: TicketKey,
  message: TicketMessage,
  effects: ReplyEffects,
): Promise<void> {
  if (Object.keys(effects).length === 0) return;
  const before = await ticketDetail(tx, key, now);
  const stored = await lockTicket(tx, key);
  // The message was the ticket's last write, in this transaction.
  const at = stored.stamped_at;
  const clocks = await clockColumns(tx, stored, { ...stored, ...effects }, at);
  await tx
    .updateTable('ticket')
    .set({ ...effects, ...clocks, updated_at: at, updated_by: message.authorId })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
  const after = await ticketDetail(tx, key, now);
  addTicketEvent(outbox, caller, key.workspaceId, before, after, { isOfReply: true });
  await recordActivity(tx, { tools, caller, actorId: message.authorId }, key.workspaceId, [before, after]);
}
