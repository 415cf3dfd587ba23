import type { TicketWarning } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating } from '../../platform/repeating.ts';
import { addWorkingTime } from '../../platform/working-time.ts';
import { teamMembers } from '../access/team.ts';
import { writeWithEvents } from '../delivery/store.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { tellPeople } from '../notifications/store.ts';
import type { Outbox } from '../outbox.ts';
import { codeOf } from '../ticket-code.ts';
import { type DueWarning, type QueueTargets, readQueueTargets, warningsOf } from '../tickets/due-times.ts';
import { type StoredTicket, type TicketKey, ticketKey, lockTicket } from '../tickets/find.ts';
import { ticketDetail } from '../tickets/records.ts';
import { stopsOf } from '../tickets/stops.ts';
import type { ServiceEngine } from '../work.ts';
import { recordWarnings, toldOf } from './records.ts';

const EVERY_MS = 1_000;
/** Tickets per look. */
const AT_ONCE = 200;
/** A warning that is this late is sent even if business hours have just ended. */
const LATE_MS = 60_000;

export interface WarningOptions {
  db: ServiceDb;
  engine: ServiceEngine;
  clock: Clock;
  log: Log;
  newId: NewId;
  /** Milliseconds between looks; default a second. */
  everyMs?: number | undefined;
}

/** Warns of targets in the background until it is stopped; what fails is repeated. */
export function startWarnings({
  db,
  engine,
  clock,
  log,
  newId,
  everyMs = EVERY_MS,
}: WarningOptions): Running {
  return startRepeating({
    work: () => tellWarnings(db, engine, { newId, log, now: clock.now() }),
    everyMs,
    log,
    failed: 'could not warn of targets',
  });
}

interface Context {
  newId: NewId;
  log: Log;
  now: Date;
}

/** Tells the warnings that are due, each ticket's in a transaction of its own; returns whether there are more. */
export async function tellWarnings(
  db: ServiceDb,
  engine: ServiceEngine,
  { newId, log, now }: Context,
): Promise<boolean> {
  const due = await db
    .selectFrom('ticket')
    .select(['workspace_id as workspaceId', 'id'])
    .where('warn_at', '<=', now)
    .orderBy('warn_at')
    .limit(AT_ONCE)
    .execute();
  let failed = 0;
  for (const ticket of due)
    try {
      await writeWithEvents(engine, { newId, now }, (tx, outbox) =>
        sendDueWarnings(tx, ticket, { newId, now, outbox }),
      );
    } catch (error) {
      failed++;
      log.warn({ err: error, ticketId: ticket.id }, 'could not warn of the targets of a ticket');
    }
  return due.length === AT_ONCE && failed === 0;
}

async function sendDueWarnings(
  tx: ServiceTx,
  key: TicketKey,
  { newId, now, outbox }: { newId: NewId; now: Date; outbox: Outbox },
): Promise<void> {
  const ticket = await lockTicket(tx, key);
  // Another process may have told it meanwhile.
  if (ticket.warn_at === null || ticket.warn_at > now) return;
  const queue = await readQueueTargets(tx, key.workspaceId, ticket.queue_id);
  const told = await toldOf(tx, key);
  const open = warningsOf(queue, ticket, await stopsOf(tx, key)).filter((each) => !told.has(each));
  const due = open.filter(({ at }) => at <= now);
  const opening = due.length === 0 ? now : openingFor(queue, ticket, due, now);
  if (opening > now) return setNext(tx, key, opening);
  const loud = queue.silent ? [] : lastOfEach(due);
  const records = await recordWarnings(tx, key, due, {
    newId,
    now,
    isSilent: (each) => !loud.includes(each),
  });
  for (const warning of records) await sendWarning(tx, ticket, warning, { newId, now, outbox });
  await setNext(tx, key, open.find(({ at }) => at > now)?.at ?? null);
}

/** Returns when what is due may be told: nobody is told outside business hours, unless the queue says so. */
function openingFor(
  { hours, warnings }: QueueTargets,
  { priority }: StoredTicket,
  due: readonly DueWarning[],
  now: Date,
): Date {
  const isLate = due.every(({ at }) => now.getTime() - at.getTime() > LATE_MS);
  if (!isLate || warnings?.outsideHours.includes(priority)) return now;
  return addWorkingTime(hours ?? undefined, now, 0) ?? now;
}

/** If several warnings for the same recipient and target are due, only the last one is sent. */
function lastOfEach(due: readonly DueWarning[]): DueWarning[] {
  const key = ({ target, recipient, recipientId }: DueWarning) => [target, recipient, recipientId].join(' ');
  return [...new Map(due.map((each) => [key(each), each])).values()];
}

async function setNext(tx: ServiceTx, { workspaceId, id }: TicketKey, at: Date | null): Promise<void> {
  await tx
    .updateTable('ticket')
    .set({ warn_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Fills the inboxes of those who are told, and adds the event by which a bridge tells a channel in chat. */
async function sendWarning(
  tx: ServiceTx,
  ticket: StoredTicket,
  warning: TicketWarning,
  { newId, now, outbox }: { newId: NewId; now: Date; outbox: Outbox },
): Promise<void> {
  const key = ticketKey(ticket);
  await fillInboxes(tx, ticket, warning, { newId, now });
  const data = await ticketDetail(tx, key, now);
  outbox.add({
    type: 'Ticket',
    action: 'warned',
    workspaceId: key.workspaceId,
    actor: { userId: null, source: 'SLA' },
    data,
    ticket: { id: data.id, code: codeOf(data.queue?.prefix ?? '', data.number), queueId: data.queueId },
    changes: null,
    warning,
  });
}

/** Tells the people whom a warning is for. */
export async function fillInboxes(
  tx: ServiceTx,
  ticket: Pick<StoredTicket, 'workspace_id' | 'id' | 'queue_id' | 'assignee_id'>,
  warning: TicketWarning,
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  const people =
    warning.recipient === 'team'
      ? [ticket.assignee_id, ...(await teamMembers(tx, ticket.workspace_id, ticket.queue_id))]
      : [warning.userId];
  await tellPeople(
    tx,
    ticket.workspace_id,
    people.filter((id) => id !== null),
    {
      kind: warning.percent < 100 ? 'due-soon' : 'overdue',
      ticketId: ticket.id,
      sourceId: warning.id,
    },
    { newId, now },
  );
}
