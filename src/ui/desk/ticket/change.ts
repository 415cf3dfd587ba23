import { useState } from 'react';

import { type ShownChange, type TicketChange, useChangeTickets } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { nextTicket } from '../list/next-ticket.ts';

const OPPOSITE = { addTags: 'removeTags', removeTags: 'addTags' } as const;
/** Others may have acted on these, or the reference of the ticket changes: they cannot be undone. */
const FINAL = new Set(['approvedAt', 'declinedAt', 'queueId']);
/** Fields whose values the service compares before it writes. */
const COMPARED = [
  'title',
  'description',
  'priority',
  'queueId',
  'requesterId',
  'assigneeId',
  'statusId',
  'requestTypeId',
  'private',
  'dueAt',
  'snoozeUntil',
  'followers',
] as const;

/** Characters of a new value that a toast says. */
export const WORDS_SAID = 60;

type Values = Record<string, unknown>;

const only = (values: Values, keys: readonly string[]): Values =>
  Object.fromEntries(keys.filter((key) => key in values).map((key) => [key, values[key] ?? null]));

/** A ticket, with references to people as they are written. */
const asWritten = (ticket: TicketDetail): Values => ({ ...ticket, followers: refsOf(ticket.followers) });

const refsOf = (people: readonly { id: string }[]) => people.map(({ id }) => ({ id }));

/** The values that undo a change of this ticket; undefined if it cannot be undone. */
function formerOf(ticket: TicketDetail, change: Values): Values | undefined {
  if (Object.keys(change).some((key) => FINAL.has(key))) return undefined;
  const record = asWritten(ticket);
  return Object.fromEntries(
    Object.entries(change).map(([key, value]) => {
      if (key in OPPOSITE) return [OPPOSITE[key as keyof typeof OPPOSITE], value];
      if (key === 'approverIds') return [key, ticket.approvers.map(({ id }) => id)];
      if (key === 'customFields')
        return [
          key,
          Object.fromEntries(
            Object.keys(value as Values).map((each) => [each, ticket.customFields[each] ?? null]),
          ),
        ];
      return [key, record[key] ?? null];
    }),
  );
}

export type Change = (
  change: TicketChange,
  more?: {
    said?: string;
    shown?: Partial<TicketDetail>;
    reason?: string;
    /** The ticket that an editor was opened with; by default the ticket as it is now. */
    opened?: TicketDetail;
    /** Another user changed the field since then, and the person was told. */
    onConflict?: () => void;
  },
) => Promise<boolean>;

/**
 * The ticket as it was when an editor was opened, however it changes while somebody types. `renew` takes it as it is
 * now: after the person was told what another user wrote.
 */
export function useOpened(ticket: TicketDetail): { opened: TicketDetail; renew: () => void } {
  const [opened, setOpened] = useState<TicketDetail | undefined>(ticket);
  return { opened: opened ?? ticket, renew: () => setOpened(undefined) };
}

const ENDED: ReadonlySet<string | undefined> = new Set(['Done', 'Closed']);

/** Returns whether a change closes or snoozes the ticket: then the next one is opened. */
function isSetAside(
  ticket: TicketDetail,
  { snoozeUntil, statusId }: TicketChange,
  shown?: Partial<TicketDetail>,
) {
  const isClosed = statusId && ENDED.has(shown?.status?.statusGroup.label);
  return Boolean(snoozeUntil || (isClosed && !ENDED.has(ticket.status.statusGroup.label)));
}

/**
 * Changes the open ticket: shown at once, undone for ten seconds. If another user changed the same field meanwhile,
 * nothing is written, and a message says who did it and what it is now. A ticket that is closed or snoozed makes way
 * for the next one of the list in which it is. Resolves to whether it was written.
 */
export function useChange(ticket: TicketDetail): Change {
  const changeTickets = useChangeTickets();
  return async (change, { said, shown, reason, opened = ticket, onConflict } = {}) => {
    const values = change as Values;
    const compared = COMPARED.filter((key) => key in values);
    const fields = Object.keys(change.customFields ?? {});
    const isCompared = compared.length > 0 || fields.length > 0;
    const answers = (from: Values) => (fields.length > 0 ? { customFields: only(from, fields) } : {});
    const former = formerOf(ticket, values);
    const openNext = isSetAside(ticket, change, shown)
      ? nextTicket({ code: ticket.code, isListed: true })
      : undefined;
    const asked = {
      change,
      ...(shown && { shown }),
      // Beside another ticket it says which one.
      ...(said && { said: openNext ? `${ticket.code}: ${said}` : said }),
      ...(reason && { reason }),
      ...(former && { undo: () => former }),
      ...(isCompared && {
        expected: { ...only(asWritten(opened), compared), ...answers(opened.customFields) },
        expectedByUndo: { ...only(values, compared), ...answers(change.customFields ?? {}) },
      }),
      ...(onConflict && { onConflict }),
    } as ShownChange;
    const written = changeTickets([ticket], asked);
    openNext?.();
    return (await written).length > 0;
  };
}
