import { sql } from 'kysely';
import { z } from 'zod';

import { LIMITS, linkKind } from '../../../contract/index.ts';
import type { Caller, ServiceTx } from '../../handler.ts';
import { findTickets } from '../../search/find.ts';
import { ticketKey } from '../../tickets/find.ts';
import { linkTicket } from '../../tickets/links.ts';
import { countTickets } from '../../tickets/list.ts';
import { parseListQuery } from '../../tickets/list-query.ts';
import { ticketDetail } from '../../tickets/records.ts';
import { isHandled } from '../access.ts';
import { type Action, type ActionContext, readInputs, ticketFor } from './action.ts';
import { idInput, idsInput } from './inputs.ts';

/** Tickets that one step finds. */
const FOUND = 5;

/** Finds tickets that say the same as a ticket, among those that the workflow reads; the best first. */
const findDuplicates: Action = async (tx, context, inputs) => {
  const { ticketId: named } = readInputs(z.object({ ticketId: idInput.nullish() }), inputs);
  const { workspaceId, workflow, now } = context;
  const key = ticketKey(await ticketFor(tx, context, named));
  const { title, description } = await ticketDetail(tx, key, now);
  const words = [title, description].filter(Boolean).join(' ').slice(0, LIMITS.shortText);
  const found = await findTickets(
    tx,
    undefined,
    words,
    {
      workspaceIds: [workspaceId],
      exclude: key.id,
      viewer: undefined,
      filter: sql`t.merged_into_id is null and exists (select from queue q
        where q.workspace_id = t.workspace_id and q.id = t.queue_id and ${isHandled(workflow.queueIds)})`,
    },
    { limit: FOUND },
  );
  const tickets = await Promise.all(found.map(({ id }) => ticketDetail(tx, { workspaceId, id }, now)));
  return {
    kind: 'done',
    outputs: {
      ticketId: key.id,
      ticketIds: tickets.map(({ id }) => id),
      codes: tickets.map(({ code }) => code),
      count: tickets.length,
    },
  };
};

/** Parameters of the ticket list. */
export const Filter = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value)),
);

/** Counts the tickets of a list that the workflow reads, up to the limit of all counts. */
const countByFilter: Action = async (tx, context, inputs) => {
  const { filter } = readInputs(z.object({ filter: Filter }), inputs);
  const query = parseListQuery(filter, 'filter');
  const counted = await countTickets(tx, await readerOf(tx, context), query, {
    now: context.now,
    most: LIMITS.ticketCounts.count,
  });
  return { kind: 'done', outputs: { ...counted } };
};

/** Returns the workflow as the reader of lists, which show it what `isHandled` allows. */
async function readerOf(tx: ServiceTx, { caller, workspaceId, workflow }: ActionContext): Promise<Caller> {
  if (workflow.queueIds !== null) return caller;
  const queues = await tx
    .selectFrom('queue')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('visibility', '<>', 'team')
    .execute();
  return { ...caller, reach: { queueIds: queues.map(({ id }) => id), privateQueueIds: [] } };
}

const Link = z.object({
  ticketId: idInput.nullish(),
  otherTicketIds: idsInput,
  kind: linkKind.nullish(),
});

/** Links a ticket with others. */
const link: Action = async (tx, context, inputs) => {
  const { ticketId: named, otherTicketIds, kind } = readInputs(Link, inputs);
  const others: string[] = [];
  for (const id of otherTicketIds) others.push((await ticketFor(tx, context, id)).id);
  const key = ticketKey(await ticketFor(tx, context, named));
  const changing = { ...context, actorId: undefined };
  for (const ticketId of others) await linkTicket(tx, changing, key, { ticketId, kind: kind ?? 'related' });
  return { kind: 'done', outputs: { ticketId: key.id, otherTicketIds: others } };
};

export const searchActions: Readonly<Record<string, Action>> = {
  'ticket.find-duplicates': findDuplicates,
  'ticket.count': countByFilter,
  'ticket.link': link,
};
