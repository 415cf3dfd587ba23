import { sql } from 'kysely';
import { z } from 'zod';

import { type Tx, transaction } from '../../../platform/database/open.ts';
import { enqueueing, type Job } from '../../../platform/jobs/index.ts';
import type { Bridge } from '../../bridge.ts';
import { plan } from '../../outbox/outbox.ts';
import { directKey, ticketKey } from '../../slack/ids.ts';
import { noticesSince } from '../../tickets/own-settings.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { judged } from '../../inbox/verdict.ts';
import { planAsks } from '../approvals/index.ts';
import { readTicket } from '../../tickets/find-ticket.ts';
import { keepReminders, wantedReminders } from '../reminders/index.ts';
import { gatherNotices } from './gather-notices.ts';

/** The queue of notification checks, one after the other per ticket. */
export const NOTICE_QUEUE = 'notice';
export const NoticePayload = z.object({ ticket: z.string() });

/**
 * Schedules a notification check of a ticket; what happens until then goes into one message (B43). A waiting check is
 * prevented from starting until this commits, and then includes it.
 */
export async function lookSoon(
  tx: Tx<BridgeTables>,
  { noticeAfterMs }: Pick<Bridge, 'noticeAfterMs'>,
  ticketId: string,
): Promise<void> {
  const orderingKey = ticketKey(ticketId);
  const job = { queue: NOTICE_QUEUE, orderingKey, payload: { ticket: ticketId }, delayMs: noticeAfterMs };
  await sql`
    with waiting as materialized (
      select from job where queue = ${NOTICE_QUEUE} and ordering_key = ${orderingKey}
        and head and state = 'ready' and attempts = 0 and run_at > clock_timestamp()
      for key share skip locked
    )
    select ${enqueueing([job])} where not exists (select from waiting)`.execute(tx);
}

/** The state of a ticket at the last check. */
const Seen = z.object({
  assigneeId: z.string().nullable(),
  statusId: z.string(),
  group: z.string(),
  isDecided: z.boolean(),
  /** A digest of what approvers see. */
  asked: z.string(),
  /** Users who have written in its thread: Slack notifies them of every reply there. */
  talkers: z.array(z.string()),
  /** The same for its team's thread. */
  noteTalkers: z.array(z.string()),
});
type Seen = z.infer<typeof Seen>;

/**
 * Checks a ticket and plans what follows: notifications (B43), questions to approvers (B39) and to the requester (B40).
 * State and plans are recorded in one transaction with the end of the job, so interrupted checks are repeated, and
 * nothing is sent twice.
 */
export async function tellPeople(
  bridge: Bridge,
  job: Job<unknown>,
  { ticket }: z.infer<typeof NoticePayload>,
): Promise<void> {
  await judged(bridge, job, () => look(bridge, job, ticket));
}

async function look(bridge: Bridge, job: Job<unknown>, ticketId: string): Promise<void> {
  const { db } = bridge.database;
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const began = rows[0]?.now ?? bridge.clock.now();
  const heard = await db
    .selectFrom('notification_state')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .executeTakeFirst();
  const done = (write?: (tx: Tx<BridgeTables>) => Promise<void>) =>
    transaction(db, async (tx) => {
      await write?.(tx);
      await job.completeLast(tx);
    });
  // A check that started after this was requested has seen it.
  if (heard && job.enqueuedAt < heard.checked_at) return done();
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket || !(await bridge.channels.isOffered(ticket.queue?.workspaceId))) return done();
  const before = heard && Seen.safeParse(heard.seen).data;
  const since = await noticesSince(bridge);
  const queue = ticket.queueId === null ? undefined : await bridge.channels.queue(ticket.queueId);
  const silent = queue?.settings?.silentMode ?? false;
  const begun = { firstAttempt: job.firstAttempt, receivedAt: job.enqueuedAt };
  const gathered = await gatherNotices(bridge, {
    ticket,
    before,
    since,
    silent,
    updatedFrom: heard?.messages_until?.toISOString() ?? null,
    begun,
  });
  const asks = await planAsks(bridge, {
    ticket,
    before,
    since,
    settings: { enableCSAT: queue?.settings?.enableCSAT ?? false, silentMode: silent },
    begun,
  });
  const reminders = await wantedReminders(bridge, ticket, since);
  await done(async (tx) => {
    await keepReminders(tx, ticketId, reminders);
    const seen: Seen = {
      assigneeId: ticket.assigneeId,
      statusId: ticket.statusId,
      group: ticket.status.statusGroup.label,
      isDecided: ticket.approvedAt !== null || ticket.declinedAt !== null,
      asked: asks.shown,
      talkers: gathered.talkers,
      noteTalkers: gathered.noteTalkers,
    };
    const values = {
      seen: JSON.stringify(seen),
      messages_until: gathered.messagesUntil ?? heard?.messages_until ?? null,
      checked_at: began,
    };
    await tx
      .insertInto('notification_state')
      .values({ ticket_id: ticketId, ...values })
      .onConflict((conflict) => conflict.column('ticket_id').doUpdateSet(values))
      .execute();
    for (const id of gathered.messages)
      await tx
        .insertInto('notified_message')
        .values({ ticket_message_id: id, notified_at: bridge.clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await asks.record(tx);
    const { team } = bridge.bot;
    for (const { channel, orderingKey = directKey(team, channel), body } of [
      ...gathered.lines,
      ...asks.lines,
    ])
      await plan(tx, bridge, { conversationId: null, team, channel, orderingKey }, [body]);
  });
}
