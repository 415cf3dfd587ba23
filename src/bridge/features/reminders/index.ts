// Reminds a ticket's team where it works of what is due, late, or snoozed until now, and tells what the service warns
// of.

import { z } from 'zod';

import { type Line, lineIn, planLine, reminderPost, teamPlace } from './lines.ts';
import { type Reminder, REMINDER_KINDS, remindersOf, TARGET_KINDS, type Target } from './rules.ts';
import { type Tx, transaction } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { homesOf, planHome } from '../home/index.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { redrawCards } from '../cards/index.ts';
import { areAllAway } from '../../people/away.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { type Feature, roundOf } from '../../feature.ts';
import {
  type BodyOf,
  CLASSES,
  type Done,
  type NewWork,
  type Work,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';
import type { Listed } from '../../tickets/search.ts';
import { announcesSince } from '../../first-run.ts';
import { tellWarnings } from './warnings.ts';

/** A round of reminders: one sends what is due, one finds what no event reported, one tells the service's warnings. */
const REMIND = workKind('remind', CLASSES.reminder, z.object({ do: z.enum(['tell', 'scan', 'warn']) }));
type Round = BodyOf<typeof REMIND>;

const EVERY_MS: Record<Round['do'], number> = { tell: 5_000, scan: 60 * 60_000, warn: 60_000 };
/** Maximum number of reminders sent at once. */
const AT_ONCE = 200;

function reminderRound(what: Round['do'], delayMs: number): NewWork {
  return workFor(REMIND, what, { do: what }, { mergeKey: `remind:${what}`, delayMs });
}

const nextRound = ({ do: what }: Round) => reminderRound(what, EVERY_MS[what]);

const ROUNDS: Record<Round['do'], (bridge: Bridge) => Promise<Write | undefined>> = {
  tell: sendDue,
  scan: scanOpen,
  warn: tellWarnings,
};

/** Runs one round and plans the next. */
async function workRound(bridge: Bridge, { body }: Work<Round>): Promise<Done> {
  const write = await ROUNDS[body.do](bridge);
  return {
    outcome: body.do,
    write: async (tx) => {
      await write?.(tx);
      tx.plan.add(nextRound(body));
    },
  };
}

/** Returns a ticket's reminders; nothing before `since`. Throws ServiceError. */
export async function wantedReminders(
  bridge: Pick<Bridge, 'channels' | 'service' | 'teamHours' | 'warnings'>,
  ticket: Listed,
  since: string,
): Promise<Reminder[]> {
  const { channels, teamHours, warnings } = bridge;
  const queue = ticket.queueId === null ? undefined : await channels.queue(ticket.queueId);
  // A silent queue notifies nobody (B28).
  if (queue?.settings?.silentMode) return [];
  const ended = ticket.archivedAt !== null || hasEnded(ticket.status.statusGroup.label);
  const targets: Readonly<Record<string, Target | undefined>> = queue?.settings?.targets ?? {};
  // A service that warns of its targets decides whom, and when.
  const target = (await warnings.areSent()) ? undefined : targets[ticket.priority];
  const hours = queue && target ? await teamHours.of(queue) : undefined;
  const isNobodys = !ended && ticket.assigneeId === null && !ticket.assignedAIAgent;
  const turns = isNobodys ? (queue?.autoAssignees.map(({ id }) => id) ?? []) : [];
  const allAway = await areAllAway(bridge, turns, new Date(ticket.createdAt));
  const reminders = remindersOf({ ...ticket, ended, allAway, target, hours });
  return reminders.filter(({ at }) => at.toISOString() >= since);
}

const isSame = (a: { kind: string; at: Date }) => (b: Reminder) =>
  a.kind === b.kind && a.at.getTime() === b.at.getTime();

/** Stores the reminders; sent ones stay sent, and obsolete ones are deleted. */
export async function keepReminders(
  tx: Tx<BridgeTables>,
  ticketId: string,
  wanted: readonly Reminder[],
): Promise<void> {
  const known = await tx.selectFrom('reminder').selectAll().where('ticket_id', '=', ticketId).execute();
  for (const row of known)
    if (row.sent_at === null && !wanted.some(isSame(row)))
      await tx
        .deleteFrom('reminder')
        .where((where) => where.and({ ticket_id: ticketId, kind: row.kind, at: row.at }))
        .execute();
  if (wanted.length === 0) return;
  await tx
    .insertInto('reminder')
    .values(wanted.map(({ kind, at }) => ({ ticket_id: ticketId, kind, at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Plans lines for reminders that are due and still apply, each once: in the transaction that marks them sent. Those
 * that the service tells by now are forgotten instead: if they were marked, its warning would count as told.
 */
async function sendDue(bridge: Bridge): Promise<Write> {
  const now = bridge.clock.now();
  const ofService: readonly string[] = (await bridge.warnings.areSent()) ? TARGET_KINDS : [];
  const due = await bridge.database.db
    .selectFrom('reminder')
    .selectAll()
    .where('sent_at', 'is', null)
    .where('at', '<=', now)
    .orderBy('at')
    .limit(AT_ONCE)
    .execute();
  const lines: Line[] = [];
  const awake: Write[] = [];
  for (const { ticket_id, kind: said, at } of due) {
    const ticket = await readTicket(bridge, ticket_id);
    const kind = REMINDER_KINDS.find((one) => one === said);
    if (!ticket || !kind || !(await wantedReminders(bridge, ticket, '')).some(isSame({ kind, at }))) continue;
    if (kind === 'snooze') awake.push(await showAwake(bridge, ticket));
    const place = await teamPlace(bridge, ticket);
    if (place) lines.push(await lineIn(bridge, ticket, kind, place));
  }
  return async (tx) => {
    for (const { ticket_id, kind, at } of due)
      if (ofService.includes(kind))
        await tx
          .deleteFrom('reminder')
          .where((where) => where.and({ ticket_id, kind, at }))
          .execute();
      else
        await tx
          .updateTable('reminder')
          .set({ sent_at: now })
          .where((where) => where.and({ ticket_id, kind, at }))
          .execute();
    for (const show of awake) await show(tx);
    for (const line of lines) await planLine(tx, bridge, line);
  };
}

/** The end of a snooze does not change the ticket: its cards and the Homes that show it are redrawn. */
async function showAwake(bridge: Bridge, ticket: Ticket): Promise<Write> {
  const homes = await homesOf(bridge.database.db, bridge, ticket.id, ticket);
  return async (tx) => {
    await redrawCards(tx, bridge, ticket.id);
    for (const home of homes) await planHome(tx, bridge, home);
  };
}

/**
 * Updates the reminders of all open tickets from their records and the targets: after an upgrade, or changed targets.
 * Each separately, so it may be interrupted anywhere and the next scan repeats it.
 */
async function scanOpen(bridge: Bridge): Promise<undefined> {
  const since = await announcesSince(bridge);
  for (const workspaceId of await bridge.channels.workspaceIds())
    for await (const ticket of bridge.service.all('listTickets', {
      query: { workspaceId, openFilter: true },
    })) {
      const wanted = await wantedReminders(bridge, ticket, since);
      await transaction(bridge.database.db, (tx) => keepReminders(tx, ticket.id, wanted));
    }
}

export const reminders: Feature = {
  posts: [reminderPost],
  works: () => [roundOf(REMIND, workRound, (_bridge, body) => nextRound(body))],
  begin: ({ engine }) =>
    engine.transaction(async (tx) =>
      tx.plan.add(reminderRound('tell', 0), reminderRound('scan', 0), reminderRound('warn', 0)),
    ),
  hooks: () => ({
    postsRequested: async (tx) => tx.plan.add(reminderRound('warn', 0)),
  }),
};
