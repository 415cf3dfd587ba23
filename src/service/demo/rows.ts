import type { Insertable } from 'kysely';

import { ID_PREFIXES, type SlaTarget } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { DemoTicket } from './tickets.ts';
import type { Tables } from '../schema/tables.ts';
import type { Stop } from '../tickets/clock.ts';
import { dueTimes, type DueWarning, type QueueTargets, warningsOf } from '../tickets/due-times.ts';
import { targetResult } from '../tickets/results.ts';

const MINUTE_MS = 60_000;
/** Resolved tickets are closed after this time. */
const CLOSED_AFTER_MS = 2 * 24 * 60 * MINUTE_MS;

/** Ids of what the tickets refer to, by name. */
export interface DemoPlaces {
  workspaceId: string;
  queues: Readonly<Record<DemoTicket['queue'], string>>;
  people: ReadonlyMap<string, string>;
  statuses: ReadonlyMap<string, string>;
  tags: ReadonlyMap<string, string>;
  requestTypes: ReadonlyMap<string, string>;
  targets: QueueTargets;
}

/** The rows of a ticket. */
export interface DemoRows {
  ticket: Insertable<Tables['ticket']>;
  reference: Insertable<Tables['ticket_reference']>;
  stops: Insertable<Tables['ticket_stop']>[];
  messages: Insertable<Tables['ticket_message']>[];
  tags: Insertable<Tables['ticket_tag']>[];
  ratings: Insertable<Tables['csat']>[];
  results: Insertable<Tables['target_result']>[];
  /** The warnings that were sent about its targets. */
  warnings: DueWarning[];
}

/**
 * The rows that a ticket of the demo becomes: what the operations would have left, had they been called at the time.
 */
export function rowsOf(
  ticket: DemoTicket,
  { id, number, shortId }: { id: string; number: number; shortId: string },
  places: DemoPlaces,
  newId: NewId,
  now: Date,
): DemoRows {
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
  const { workspaceId: workspace_id } = places;
  const queue_id = places.queues[ticket.queue];
  const person = (key: string | undefined) => (key === undefined ? null : (places.people.get(key) ?? null));
  const created = ago(ticket.minutesAgo);
  const answers = ticket.messages.filter(({ from, private: note }) => from !== ticket.requester && !note);
  const last = ticket.messages.at(-1);
  const ended = last ? ago(last.minutesAgo) : created;
  const status = ticket.status ?? 'Open';
  const closed =
    status === 'Closed' ? new Date(Math.min(ended.getTime() + CLOSED_AFTER_MS, now.getTime())) : null;
  const touched = closed ?? ended;
  const times = {
    usual_reply_minutes: null,
    created_at: created,
    responded_at: answers[0] ? ago(answers[0].minutesAgo) : null,
    resolved_at: status === 'Done' || status === 'Closed' ? ended : null,
    closed_at: closed,
    archived_at: null,
  };
  const waits = waitingSpans(ticket).map(([from, to]): Stop => ({
    reason: 'waiting',
    from: ago(from),
    to: ago(to),
  }));
  // The last message set the status.
  const reason = status === 'Waiting' ? 'waiting' : times.resolved_at && 'ended';
  const stops: Stop[] = reason ? [...waits, { reason, from: ended, to: null }] : waits;
  const timed = { workspace_id, id, queue_id, priority: ticket.priority, ...times };
  const resultAt = (target: SlaTarget, at: Date | null) =>
    at ? [targetResult(timed, target, places.targets, waits, at)] : [];
  const warnings = warningsOf(places.targets, timed, stops);
  const firstTouch = ticket.messages.find(({ from }) => from === ticket.assignee);
  return {
    ticket: {
      ...timed,
      number,
      short_id: shortId,
      title: ticket.title,
      description: ticket.description,
      published: true,
      private: false,
      source: 'WEB',
      requester_id: person(ticket.requester),
      author_id: person(ticket.requester),
      assignee_id: person(ticket.assignee),
      status_id: wanted(places.statuses, status),
      request_type_id:
        ticket.requestType === undefined ? null : (places.requestTypes.get(ticket.requestType) ?? null),
      disable_ai_response: false,
      published_at: created,
      assigned_at: ticket.assignee === undefined ? null : firstTouch ? ago(firstTouch.minutesAgo) : created,
      ...dueTimes(places.targets, timed, stops),
      warn_at: warnings.find(({ at }) => at > now)?.at ?? null,
      updated_at: touched,
      stamped_at: touched,
    },
    reference: { workspace_id, queue_id, number, ticket_id: id },
    stops: stops.map((stop) => ({
      workspace_id,
      ticket_id: id,
      reason: stop.reason,
      from_at: stop.from,
      to_at: stop.to,
    })),
    messages: ticket.messages.map((message) => ({
      workspace_id,
      id: newId(ID_PREFIXES.ticketMessage),
      ticket_id: id,
      content: message.text,
      author_id: person(message.from),
      source: 'WEB',
      status: 'CREATED',
      private: message.private ?? false,
      created_at: ago(message.minutesAgo),
      updated_at: ago(message.minutesAgo),
    })),
    tags: (ticket.tags ?? []).map((tag) => ({
      workspace_id,
      ticket_id: id,
      tag_id: wanted(places.tags, tag),
    })),
    ratings:
      ticket.rating === undefined
        ? []
        : [
            {
              workspace_id,
              id: newId(ID_PREFIXES.csat),
              ticket_id: id,
              person_id: wanted(places.people, ticket.requester),
              score: ticket.rating,
              created_at: ended,
              updated_at: ended,
            },
          ],
    results: [...resultAt('first-reply', times.responded_at), ...resultAt('resolution', times.resolved_at)],
    warnings: warnings.filter(({ at }) => at <= now),
  };
}

/** Each public reply set the ticket to Waiting, until its requester answered; in minutes ago. */
function waitingSpans({ requester, messages }: DemoTicket): (readonly [from: number, to: number])[] {
  const said = messages.filter((message) => !message.private);
  return said.flatMap(({ from, minutesAgo }, index) => {
    const next = said[index + 1];
    return from !== requester && next?.from === requester ? [[minutesAgo, next.minutesAgo] as const] : [];
  });
}

function wanted(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new TypeError(`the demo has nothing called "${name}"`);
  return id;
}
