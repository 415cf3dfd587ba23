import { getLocalTimeZone, today } from '@internationalized/date';
import { createTranslator } from 'use-intl';

import { toCsv } from '../../../platform/text/csv.ts';
import { authorOfMessage } from '../api/author.ts';
import { appendPage, restOf } from '../api/append-page.ts';
import { call } from '../api/call.ts';
import { nameOf } from '../api/people.ts';
import { type List, readPage } from '../api/rows.ts';
import type { Person, Ticket } from '../api/types.ts';
import { saveFile } from '../kit/save-file.ts';
import { showToast } from '../../kit/toast.tsx';
import { common } from '../messages/common.ts';
import { listParts } from '../messages/list-parts.ts';
import type { Grouping } from './display.ts';
import { ticketList } from './tickets.ts';
import type { Current } from './views.ts';
import { toastRefusal } from '../kit/toast-refusal.ts';

/** Maximum number of tickets in a file: the page keeps all of them in memory. */
const MAX_TICKETS = 10_000;
/** Records per request. */
const AT_ONCE = 200;

const COLUMNS = [
  'code',
  'title',
  'requester',
  'email',
  'queue',
  'status',
  'priority',
  'assignee',
  'tags',
  'due',
  'lastBy',
  'last',
  'lastAt',
  'created',
  'updated',
  'link',
] as const;

interface Listed {
  current: Current;
  me: string | null | undefined;
  groupBy: Grouping | undefined;
  /** The name of the list. */
  name: string;
}

/** Saves the tickets of a list, in its order, as a CSV file; a very long list is cut off. */
export const downloadCsv = (list: Listed): Promise<boolean> => toastRefusal(() => saveCsv(list));

async function saveCsv({ current, me, groupBy, name }: Listed): Promise<void> {
  const t = createTranslator({ locale: 'en', messages: { listParts }, namespace: 'listParts.csv' });
  const { tickets, total } = await readTickets(ticketList(current, me, groupBy));
  const people = await readPeople(tickets);
  const rows = tickets.map((ticket) => {
    const cells = cellsOf(ticket, people);
    return COLUMNS.map((column) => cells[column]);
  });
  const day = today(getLocalTimeZone()).toString();
  const head = COLUMNS.map((column) => t(`columns.${column}`));
  saveFile(`${t('file')} ${name} ${day}.csv`, 'text/csv', toCsv([head, ...rows]));
  const count = tickets.length;
  showToast({ kind: 'done', text: count < total ? t('cut', { count, total }) : t('saved', { count }) });
}

/** Reads a list to its end, or to the limit. A ticket that moves meanwhile is returned once. */
async function readTickets(list: List<'listTickets'>): Promise<{ tickets: Ticket[]; total: number }> {
  let rows = await readPage(list, AT_ONCE, {});
  for (let rest = restOf(rows); rest && rows.items.length < MAX_TICKETS; rest = restOf(rows))
    rows = appendPage(rows, await readPage(list, AT_ONCE, { rest }));
  return { tickets: (rows.items as Ticket[]).slice(0, MAX_TICKETS), total: rows.totalCount };
}

async function readPeople(tickets: readonly Ticket[]): Promise<Map<string, Person>> {
  const ids = new Set(
    tickets
      .flatMap(({ requesterId, assigneeId, lastReply }) => [requesterId, assigneeId, lastReply?.authorId])
      .filter((id) => id != null),
  );
  const people = new Map<string, Person>();
  const remaining = [...ids];
  while (remaining.length > 0) {
    const batch = remaining.splice(0, AT_ONCE);
    const { items } = await call('listUsers', { query: { set: batch.join(','), limit: batch.length } });
    for (const person of items) people.set(person.id, person);
  }
  return people;
}

function cellsOf(ticket: Ticket, people: Map<string, Person>): Record<(typeof COLUMNS)[number], string> {
  const { code, title, queue, status, priority, tags, lastReply, createdAt, updatedAt } = ticket;
  const personOf = (id: string | null | undefined) => (id ? people.get(id) : undefined);
  const named = (person: Person | undefined) => (person ? nameOf(person) : '');
  const { firstReplyDueAt, resolutionDueAt, dueAt } = ticket;
  const [due] = [firstReplyDueAt, resolutionDueAt, dueAt].filter((at) => at !== null).toSorted();
  return {
    code,
    title: title ?? '',
    requester: named(personOf(ticket.requesterId)),
    email: personOf(ticket.requesterId)?.email ?? '',
    queue: queue?.name ?? '',
    status: status.label,
    priority: common.priority[priority],
    assignee: named(personOf(ticket.assigneeId)),
    tags: tags.map(({ name }) => name).join(', '),
    due: due ?? '',
    lastBy: named(lastReply ? authorOfMessage(lastReply, people) : undefined),
    last: lastReply?.excerpt ?? '',
    lastAt: lastReply?.createdAt ?? '',
    created: createdAt,
    updated: updatedAt,
    link: new URL(`/tickets/${code}`, location.href).href,
  };
}
