import { type RawBuilder, sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody, type TicketMessage } from '../../contract/index.ts';
import { type ClaimedRow, enqueueing, prefetching } from '../../platform/jobs/index.ts';
import { defaultSource } from '../access/identity.ts';
import { asksAgents } from '../answers/ask.ts';
import { ANSWERS, answerJob } from '../answers/jobs.ts';
import { ATTEMPTS, type StoredDelivery } from '../delivery/jobs.ts';
import { deliveries, sentByThem } from '../delivery/store.ts';
import type { Caller, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import type { NewEvent, Outbox } from '../outbox.ts';
import { found, unprocessable } from '../problem.ts';
import { type TicketKey, ticketNamed } from '../tickets/find.ts';
import { withEvent } from './event.ts';
import { chatMessageJson, messageRecord } from './records.ts';
import { sentAt } from './sent-at.ts';

type Body = ParsedBody<'createTicketMessage'>;
interface Context {
  tools: Tools;
  caller: Caller;
  now: Date;
}

export interface Stored {
  message: TicketMessage;
  /** False if the chat pair was already stored: then nothing was written. */
  created: boolean;
  ticket: TicketKey & { requesterId: string | null; statusGroup: string };
  /** The message is the first reply by a user other than the requester, and this is its instant. */
  respondedAt: Date | null;
  /** The message is the requester's and ends a snooze, and this is its instant. */
  wokenAt: Date | null;
}

interface Row {
  workspace_id: string;
  ticket_id: string;
  requester_id: string | null;
  status_group: string;
  /** The message of the chat pair. */
  stored: string | null;
  knows_author: boolean;
  /** A message would be the first reply, or end a snooze. */
  changes_ticket: boolean;
  merged_into_id: string | null;
  responded_at: Date | null;
  woken_at: Date | null;
  message: TicketMessage | null;
  event: NewEvent;
  asks_agents: boolean;
  /** Deliveries that this process claimed with the statement. */
  claimed?: ClaimedRow[] | null;
  /** What they send, by their ids. */
  sent?: Record<string, StoredDelivery> | null;
}

/**
 * Adds a message to a ticket, or to the one that it was merged into. A chat pair that is already stored returns that
 * message. 404 for an unknown ticket.
 *
 * One statement: its part `stamped` locks the ticket, like every write to it or its messages, and gives the message an
 * instant later than any before it. The chat pair is unique: of two calls with it, the second waits for the first,
 * writes no message and looks again.
 * @param outbox gets the event and the job for AI agents, as a part of the caller's transaction. Without one, the
 *   statement stores them itself; it then leaves a message that changes the ticket too (a first reply, or the end of a
 *   snooze), and returns undefined.
 */
export async function createMessage(
  tx: ServiceTx,
  context: Context,
  body: Body,
  outbox: Outbox,
): Promise<Stored>;
export async function createMessage(db: ServiceDb, context: Context, body: Body): Promise<Stored | undefined>;
export async function createMessage(
  db: ServiceDb,
  context: Context,
  body: Body,
  outbox?: Outbox,
): Promise<Stored | undefined> {
  let named: Named = found(await ticketNamed(db, context.caller, body.ticketId, body.workspaceId));
  for (;;) {
    const row = found(await execute(db, context, body, named, outbox === undefined));
    const ticket = {
      ...{ workspaceId: row.workspace_id, id: row.ticket_id },
      ...{ requesterId: row.requester_id, statusGroup: row.status_group },
    };
    if (row.stored !== null) {
      const message = await messageRecord(db, row.workspace_id, row.stored);
      return { message, created: false, ticket, respondedAt: null, wokenAt: null };
    }
    if (!row.knows_author)
      throw unprocessable('authorId', `The workspace has no user "${body.authorId ?? ''}"`);
    const { message, event, asks_agents: asks, responded_at: respondedAt, woken_at: wokenAt } = row;
    if (message !== null) {
      outbox?.add(event);
      if (asks)
        outbox?.enqueue(
          answerJob({ workspaceId: ticket.workspaceId, ticketId: ticket.id, messageId: message.id }),
        );
      return { message, created: true, ticket, respondedAt, wokenAt };
    }
    if (row.merged_into_id !== null)
      named = {
        workspaceIds: [row.workspace_id],
        id: row.merged_into_id,
        mergedFrom: named.mergedFrom ?? row.ticket_id,
      };
    else if (row.changes_ticket && outbox === undefined) return undefined;
  }
}

/** A ticket's id; `mergedFrom`: the ticket that the message was for. */
type Named = { workspaceIds: readonly string[]; id: string; mergedFrom?: string };

/** A statement of its own may claim the deliveries that it adds: its event is on its way as soon as it is stored. */
async function execute(
  db: ServiceDb,
  context: Context,
  body: Body,
  named: Named,
  isAlone: boolean,
): Promise<Row | undefined> {
  const { claims } = context.tools;
  return claims.adding(isAlone ? { [ATTEMPTS]: CLAIMED_AT_MOST } : {}, async (takers) => {
    const { rows } = await statement(context, body, named, isAlone, takers).execute(db);
    const [row] = rows;
    const sent = new Map(Object.entries(row?.sent ?? {}));
    return { result: row, claimed: prefetching(row?.claimed, 'deliveryId', sent) };
  });
}

/** Most events go to one or two webhooks. */
const CLAIMED_AT_MOST = 2;

function statement(
  { tools: { newId }, caller, now }: Context,
  body: Body,
  { workspaceIds, id, mergedFrom }: Named,
  isAlone: boolean,
  takers: string | null,
): RawBuilder<Row> {
  const messageId = newId(ID_PREFIXES.ticketMessage);
  const author = body.authorId ?? null;
  const isPrivate = sql`${body.private ?? false}::boolean`;
  const channelId = sql`${body.chatChannelId || null}::text`;
  const ts = sql`${body.chatTimestamp || null}::text`;
  const responds = (ticket: 't' | 'x') => sql`(not ${isPrivate} and ${sql.table(ticket)}.responded_at is null
    and x.author_id is not null and x.author_id is distinct from ${sql.table(ticket)}.requester_id)`;
  const wakes = (ticket: 't' | 'x') => sql`(not ${isPrivate} and ${sql.table(ticket)}.snooze_until > ${now}
    and x.author_id = ${sql.table(ticket)}.requester_id)`;
  const changesTicket = (ticket: 't' | 'x') =>
    sql`(${responds(ticket)} or coalesce(${wakes(ticket)}, false))`;
  const ends = sql`not ${isPrivate} and x.author_id = t.claim_person_id`;
  // The thread in chat of the merged ticket, or the bridge would take the message for one in the other ticket's thread.
  const threadId =
    mergedFrom === undefined
      ? sql`null`
      : sql`(select c.message_ts from chat_thread c
          where c.workspace_id = t.workspace_id and c.ticket_id = ${mergedFrom} and c.channel_id = ${channelId}
          order by c.replaced_at desc nulls first, c.created_at desc limit 1)`;
  const copies = sql`(select coalesce(json_agg(${chatMessageJson}), '[]') from copy x)`;
  const stored = sql`with target as (
      select t.workspace_id, t.id, t.requester_id, t.responded_at, t.snooze_until, t.status_id, t.merged_into_id,
        coalesce(${author}, case when t.workspace_id = ${caller.workspaceId} then ${caller.personId}::text end)
          as author_id,
        ${author}::text is null or exists (
          select from person p where p.workspace_id = t.workspace_id and p.id = ${author}
            and p.erased_at is null) as knows_author
      from ticket t where t.workspace_id = any(${workspaceIds}::text[]) and t.id = ${id} limit 1
    ), stored as (
      select c.ticket_message_id as id from target x
      join chat_message c on c.workspace_id = x.workspace_id and c.channel_id = ${channelId} and c.ts = ${ts}
    ), stamped as (
      update ticket t set stamped_at = greatest(${now}::timestamptz, t.stamped_at + interval '1 millisecond'),
        claim_person_id = case when ${ends} then null else t.claim_person_id end,
        claim_until = case when ${ends} then null else t.claim_until end
      from target x
      where t.workspace_id = x.workspace_id and t.id = x.id and x.knows_author and not exists (select from stored)
        and t.merged_into_id is null
        ${isAlone ? sql`and not ${changesTicket('t')}` : sql``}
      returning t.workspace_id, t.id, t.number, t.queue_id, t.requester_id, t.stamped_at, x.author_id,
        case when ${responds('t')} then t.stamped_at end as responded_at,
        case when ${wakes('t')} then t.stamped_at end as woken_at
    ), copy as (
      insert into chat_message (workspace_id, id, ticket_message_id, channel_id, ts, thread_id, created_at, updated_at)
      select t.workspace_id, ${newId(ID_PREFIXES.chatMessage)}, ${messageId}, ${channelId}, ${ts}, ${threadId},
        t.stamped_at, t.stamped_at
      from stamped t where ${channelId} is not null and ${ts} is not null
      on conflict (workspace_id, channel_id, ts) do nothing
      returning *
    ), message as (
      insert into ticket_message (workspace_id, id, ticket_id, content, author_id, source, status, chat_channel_id,
        private, created_at, updated_at)
      select t.workspace_id, ${messageId}, t.id, ${body.content}, t.author_id, ${body.source ?? defaultSource(caller)}, 'CREATED',
        ${channelId}, ${isPrivate}, least(${sentAt(body.chatTimestamp)}::timestamptz, t.stamped_at), t.stamped_at
      from stamped t where ${channelId} is null or ${ts} is null or exists (select from copy)
      returning *
    ), ${withEvent('created', caller, { copies, files: sql`'[]'::json` })}, question as (
      select ${sql.lit(ANSWERS)} as queue, t.id as ordering_key,
        jsonb_build_object('workspaceId', m.workspace_id, 'ticketId', t.id, 'messageId', m.id) as payload
      from message m join stamped t on not m.private and t.requester_id = m.author_id
      join queue on queue.workspace_id = t.workspace_id and queue.id = t.queue_id and ${asksAgents}
    )`;
  const rest = isAlone
    ? sql`, written_event as (
        select ${newId(ID_PREFIXES.event)} as id, event, null::text as webhook_id from record
      ), ${deliveries({ newId, now, caller })}, added_job as (
        select * from attempt union all select * from question
      )`
    : sql``;
  const done = isAlone
    ? sql`(select ${enqueueing([], 'added_job', takers)} where exists (select from added_job)) as claimed,
        ${takers === null ? sql`null` : sentByThem} as sent`
    : sql`(select event from record) as event, exists (select from question) as asks_agents`;
  return sql<Row>`${stored}${rest}
    select x.workspace_id, x.id as ticket_id, x.requester_id, x.knows_author, x.merged_into_id,
      (select g.label from status s
        join status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
        where s.workspace_id = x.workspace_id and s.id = x.status_id) as status_group,
      ${changesTicket('x')} as changes_ticket,
      (select id from stored) as stored, (select responded_at from stamped) as responded_at,
      (select woken_at from stamped) as woken_at,
      (select message from record) as message, ${done}
    from target x`;
}
