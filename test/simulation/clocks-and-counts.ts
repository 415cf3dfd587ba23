import { isDeepStrictEqual } from 'node:util';

import type { Stop } from '../../src/service/tickets/clock.ts';
import {
  type DueTimes,
  dueTimes,
  type QueueTargets,
  type Timed,
} from '../../src/service/tickets/due-times.ts';
import type { StatusKind } from '../../src/service/tickets/statuses.ts';
import { type StopJson, stopReason, toStop } from '../../src/service/tickets/stops.ts';
import { arrivedAt } from '../harness/history-order.ts';
import type { Conversation } from '../drills/harness/story.ts';
import { type Trouble, troubleOf } from './promises.ts';
import { rowsOf } from './rows.ts';
import type { World } from './world.ts';

/** A ticket with what its clocks follow from, and what is stored of them. */
export interface ClockedTicket extends Timed {
  id: string;
  kind: StatusKind;
  stops: readonly Stop[];
  queue: QueueTargets;
  stored: DueTimes;
}

/** What the clocks of tickets show, and do not show by what the record says of these tickets. */
export function checkClocks(tickets: readonly ClockedTicket[]): Trouble[] {
  return tickets.flatMap(({ id, kind, stops, queue, stored, ...ticket }) => {
    const last = stops.at(-1);
    const [stands, should] = [last?.to === null ? last.reason : null, stopReason(ticket, kind, queue)];
    const due = dueTimes(queue, ticket, stops);
    return [
      ...(stands === should ? [] : [wrong(`the clocks of ${id} stand as ${stands}, not ${should}`)]),
      ...(isDeepStrictEqual(stored, due)
        ? []
        : [wrong(`the due times of ${id} are ${JSON.stringify(stored)}, not ${JSON.stringify(due)}`)]),
    ];
  });
}

/** A message of a ticket, as far as it may be the first reply. */
export interface Reply {
  at: string;
  isByRequester: boolean;
  isNote: boolean;
  isAutomated: boolean;
}

/** What is wrong with the time of the first reply: that of the first person but the requester who wrote for all. */
export function checkFirstReply(
  ticketId: string,
  respondedAt: string | null,
  messages: readonly Reply[],
): Trouble[] {
  const [first = null] = messages
    .filter(({ isByRequester, isNote, isAutomated }) => !isByRequester && !isNote && !isAutomated)
    .map(({ at }) => at)
    .toSorted();
  return respondedAt === first ? [] : [wrong(`${ticketId} was answered at ${respondedAt}, not at ${first}`)];
}

/** A number that people see, and that of what they find behind it. */
interface Count {
  of: string;
  shown: number;
  found: number;
}

export const checkCounts = (counts: readonly Count[]): Trouble[] =>
  counts
    .filter(({ shown, found }) => shown !== found)
    .map(({ of, shown, found }) => wrong(`${shown} tickets are counted ${of}, ${found} are there`));

const wrong = (what: string) => troubleOf('different', what);

/** What clocks and counts show, and what the record does not say; once everything has settled. */
export async function troubleOfRecords(
  { client: service, databases }: Pick<World, 'client' | 'databases'>,
  conversations: readonly Conversation[],
): Promise<Trouble[]> {
  return [
    ...checkClocks(await clockedTickets(databases.service)),
    ...(await Promise.all(conversations.map((one) => troubleOfFirstReply(service, one)))).flat(),
    ...checkCounts(await countsSeen(service)),
  ];
}

type ClockRow = Timed &
  DueTimes &
  Pick<QueueTargets, 'targets' | 'warnings' | 'pauses' | 'silent' | 'hours'> & {
    id: string;
    kind: StatusKind;
    stops: StopJson[];
  };

/** All tickets, of the demo as well. */
async function clockedTickets(database: { url: string }): Promise<ClockedTicket[]> {
  const rows = await rowsOf<ClockRow>(
    database,
    `select t.id, t.priority, t.created_at, t.responded_at, t.resolved_at, t.closed_at, t.archived_at,
       t.usual_reply_minutes, t.first_reply_due_at, t.resolution_due_at, t.sla_paused_at, t.warn_at,
       t.expected_reply_at, g.kind,
       nullif(q.settings -> 'targets', 'null'::jsonb) as targets,
       nullif(q.settings -> 'warnings', 'null'::jsonb) as warnings,
       coalesce((q.settings ->> 'pauseWhileWaiting')::boolean, true) as pauses,
       coalesce((q.settings ->> 'silentMode')::boolean, false) as silent,
       (select json_build_object('timeZone', h.time_zone, 'days', h.days, 'holidays', h.holidays)
         from service.business_hours h
         where h.workspace_id = q.workspace_id and jsonb_typeof(q.settings -> 'targets') = 'object'
           and case when q.business_hours_id is null then h.is_default else h.id = q.business_hours_id end) as hours,
       (select coalesce(json_agg(json_build_object('reason', x.reason, 'from', x.from_at, 'to', x.to_at)
           order by x.from_at), '[]')
         from service.ticket_stop x where x.workspace_id = t.workspace_id and x.ticket_id = t.id) as stops
     from service.ticket t
     join service.queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id
     join service.status s on s.workspace_id = t.workspace_id and s.id = t.status_id
     join service.status_group g on g.workspace_id = s.workspace_id and g.id = s.status_group_id
     order by t.id`,
  );
  return rows.map(({ targets, warnings, pauses, silent, hours, stops, ...row }) => ({
    ...row,
    stops: stops.map(toStop),
    queue: { targets, warnings, pauses, silent, hours },
    stored: {
      first_reply_due_at: row.first_reply_due_at,
      resolution_due_at: row.resolution_due_at,
      sla_paused_at: row.sla_paused_at,
      expected_reply_at: row.expected_reply_at,
      warn_at: row.warn_at,
    },
  }));
}

/** A merge brings messages of another ticket, so only tickets that stay where they are say when they were answered. */
async function troubleOfFirstReply(
  service: World['client'],
  { ticketId, isMoving }: Conversation,
): Promise<Trouble[]> {
  if (isMoving) return [];
  const { requesterId, respondedAt } = await service.readTicket({ params: { id: ticketId } });
  const query = { ticketId, limit: 1000, includeDeleted: true } as const;
  const { items } = await service.listTicketMessages({ query });
  const messages = items.map((message) => ({
    at: arrivedAt(message),
    isByRequester: message.authorId !== null && message.authorId === requesterId,
    isNote: message.private,
    isAutomated: message.authorId === null || message.agent !== null || message.workflow !== null,
  }));
  return checkFirstReply(ticketId, respondedAt, messages);
}

/** A queue counts its archived tickets, too. */
const ALL = { includeArchived: true, includeUnpublished: true };

/** The counts of lists by queue and by status, and of queues, with how many tickets each list shows. */
async function countsSeen(service: World['client']): Promise<Count[]> {
  const { items: queues } = await service.listQueues({ query: {} });
  const { items: statuses } = await service.listStatuses({ query: {} });
  const lists = [
    ...queues.map(({ id: queueId, name }) => ({ of: `in ${name}`, query: { queueId, ...ALL } })),
    ...statuses.map(({ id: statusId, label }) => ({ of: `as ${label}`, query: { statusId } })),
  ];
  const filters = lists.map(({ of: key, query }) => ({
    key,
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  }));
  const { counts } = await service.countTickets({ body: { filters } });
  const shown: Count[] = [];
  for (const [at, { of, query }] of lists.entries()) {
    const { items, totalCount } = await service.listTickets({ query: { ...query, limit: 1000 } });
    const found = items.length;
    shown.push(
      { of, shown: counts[at]?.count ?? -1, found },
      { of: `${of}, by their list`, shown: totalCount, found },
    );
    const inQueue = queues[at]?._count;
    if (inQueue) shown.push({ of: `${of}, by their queue`, shown: inQueue.tickets, found });
  }
  return shown;
}
