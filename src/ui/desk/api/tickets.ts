import { type QueryKey, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

import { endsWithUndo, showToast } from '../../kit/toast.tsx';
import { call, Refusal } from './call.ts';
import { knownName } from './people.ts';
import { changeCached, operationKey, operation, queryClient } from './query.ts';
import { useRole } from './session.ts';
import type { BodyOf, Operation, Ticket, TicketDetail } from './types.ts';

/** Maximum number of messages of a ticket that are shown, the latest ones. */
export const MESSAGES = 500;

/** A ticket by reference or id. */
export const ticketQuery = (reference: string) => operation('readTicket', { params: { id: reference } });

/** The messages of a ticket, newest first; known by its reference, read by its id, as every service can. */
export const messagesQuery = (reference: string) => {
  const query = { ticketId: reference, sortBy: 'createdAt', sortDirection: 'desc', limit: MESSAGES } as const;
  return queryOptions({
    ...operation('listTicketMessages', { query }),
    queryFn: async ({ signal }) => {
      const ticketId =
        ticketInLists(reference)?.id ??
        (await queryClient.query({ ...ticketQuery(reference), staleTime: 'static' })).id;
      return call('listTicketMessages', { query: { ...query, ticketId } }, { signal });
    },
  });
};

/** A ticket as a list shows it: its messages need not wait until it is read by itself, nor does its title. */
export const ticketInLists = (reference: string): Ticket | undefined =>
  queryClient
    .getQueriesData<Lists>({
      predicate: ({ queryKey: [name] }) => name === 'listTickets' || name === 'semanticSearch',
    })
    .flatMap(([, known]) => known?.items ?? [])
    .find(({ code }) => code === reference);

export const useTicket = (reference: string) => useQuery(ticketQuery(reference));
export const useMessages = (reference: string) => useQuery(messagesQuery(reference));

/** Loads a ticket before it is opened: its row is pointed at, or is the next one. */
export function prefetchTicket(reference: string): void {
  // What fails here is read again, and shown, when the ticket is opened.
  queryClient.query({ ...ticketQuery(reference), staleTime: 10_000 }).catch(() => undefined);
  queryClient.query({ ...messagesQuery(reference), staleTime: 10_000 }).catch(() => undefined);
}

export type TicketChange = NonNullable<BodyOf<'updateTicket'>>['data'];

type Lists = { items: Ticket[] };

/** Shows a change of a ticket everywhere at once; returns how to take it back. */
function showChange(ticket: { id: string; code: string }, change: Partial<Ticket>): () => void {
  const before = queryClient.getQueriesData({
    predicate: ({ queryKey: [name] }) =>
      name === 'readTicket' || name === 'listTickets' || name === 'semanticSearch',
  });
  queryClient.setQueriesData<TicketDetail>(
    { predicate: ({ queryKey: [name] }) => name === 'readTicket' },
    (known) => (known?.id === ticket.id ? { ...known, ...(change as Partial<TicketDetail>) } : known),
  );
  for (const name of ['listTickets', 'semanticSearch'] as const)
    changeCached<Ticket>(name, (each) => (each.id === ticket.id ? { ...each, ...change } : each));
  return () => {
    for (const [key, data] of before) queryClient.setQueryData(key, data);
  };
}

/** What a conversation is drawn from, and what stands beside it. */
const OF_CONVERSATION: ReadonlySet<unknown> = new Set<Operation>([
  'listTicketMessages',
  'readTicketActivity',
  'listScheduledReplies',
  'listReplyDrafts',
  'listWorkflowRuns',
  'readWorkflowRun',
]);

/** Reads again what a change of tickets may have altered. */
export function ticketsChanged(ids?: readonly string[]): void {
  void queryClient.invalidateQueries({ queryKey: ['listTickets'] });
  void queryClient.invalidateQueries({ queryKey: ['countTickets'] });
  void queryClient.invalidateQueries({
    predicate: ({ queryKey, state }) => {
      if (queryKey[0] === 'readTicket')
        return !ids || ids.includes((state.data as TicketDetail | undefined)?.id ?? '');
      return OF_CONVERSATION.has(queryKey[0]);
    },
  });
}

/** The operations whose cached results contain tickets or numbers of tickets. */
const OF_TICKETS: ReadonlySet<unknown> = new Set<Operation>([
  'readTicket',
  'listTickets',
  'semanticSearch',
  'countTickets',
  'listTicketMessages',
  'readTicketActivity',
  'listScheduledReplies',
  'listTicketFiles',
  'readDraft',
  'listReplyDrafts',
  'readPresence',
  'listWorkflowRuns',
  'readWorkflowRun',
  'listNotifications',
  'countNotifications',
  'previewMetric',
  'previewTrend',
  'listQueues',
]);

/**
 * Reads everything of tickets again: this person may read others than before. What is not shown now is forgotten, so
 * that it is not shown for a moment when it is opened.
 */
export function readersChanged(): void {
  const isOfTickets = ({ queryKey: [name] }: { queryKey: QueryKey }) => OF_TICKETS.has(name);
  queryClient.removeQueries({ type: 'inactive', predicate: isOfTickets });
  void queryClient.invalidateQueries({ predicate: isOfTickets });
}

/** How a change looks before the service has confirmed it: relations that lists show are filled in by the caller. */
export interface ShownChange {
  change: TicketChange;
  /** Fields of the record that show it, beside those of `change` that have the same name. */
  shown?: Partial<Ticket>;
  /** What to say, in the past tense, with the offer to undo: "Assigned to Mira Lind". */
  said?: string;
  /** The former values of a ticket, which undo the change; absent where nothing can be undone. */
  undo?: (id: string) => TicketChange | undefined;
  /** The values that fields have here: if another user changed them meanwhile, nothing is written. */
  expected?: BodyOf<'updateTicket'>['expected'];
  /** The values that fields must still have when the change is undone. */
  expectedByUndo?: BodyOf<'updateTicket'>['expected'];
  /** Why it is declined. */
  reason?: string;
  /** Called if another user changed a field meanwhile. */
  onConflict?: () => void;
}

/** Fields of a change that the record does not have under the same name. */
const NOT_OF_RECORD = new Set(['addTags', 'removeTags', 'approverIds', 'customFields', 'followers']);

/** The fields of a changed ticket's record: the next change expects these values before the service has responded. */
const changedFields = ({ change, shown }: ShownChange): Partial<Ticket> => ({
  ...Object.fromEntries(Object.entries(change).filter(([field]) => !NOT_OF_RECORD.has(field))),
  ...shown,
});

/** The last write of each ticket: the next one waits for it, so that it finds the values that it expects. */
const lines = new Map<string, Promise<unknown>>();

/** Writes to a ticket after what is being written to it. Throws Refusal. */
function write(id: string, body: BodyOf<'updateTicket'>): Promise<TicketDetail> {
  const writing = (lines.get(id) ?? Promise.resolve()).then(() =>
    call('updateTicket', { params: { id }, body }),
  );
  const line = writing.catch(() => undefined);
  lines.set(id, line);
  void line.then(() => lines.get(id) === line && lines.delete(id));
  return writing;
}

/**
 * Changes tickets: shown at once, confirmed by the service or taken back with its reason. One or many (bulk actions).
 * Resolves to the tickets that were changed.
 */
export function useChangeTickets(): (
  tickets: readonly { id: string; code: string }[],
  change: ShownChange,
) => Promise<string[]> {
  const client = useQueryClient();
  const t = useTranslations('ticket');
  const isAdmin = useRole() === 'admin';
  /** Where an admin adds somebody to the team, who was refused as an assignee. */
  const toPerson = ({ assigneeId }: TicketChange, error: Refusal) =>
    isAdmin && assigneeId && error.isAbout('data.assigneeId')
      ? {
          link: {
            text: t('openPerson', { name: knownName(assigneeId) }),
            to: `/settings/people/${assigneeId}`,
          },
        }
      : {};
  const changeAll: ReturnType<typeof useChangeTickets> = async (tickets, asked) => {
    const { change, said, undo, expected, expectedByUndo, reason, onConflict } = asked;
    await Promise.all(
      ['listTickets', 'readTicket'].map((name) => client.cancelQueries({ queryKey: [name] })),
    );
    const results = await Promise.all(
      tickets.map(async (ticket) => {
        const takeBack = showChange(ticket, changedFields(asked));
        try {
          const record = await write(ticket.id, {
            data: change,
            ...(expected && { expected }),
            ...(reason && { reason }),
          });
          client.setQueryData(operationKey('readTicket', { params: { id: record.code } }), record);
          return ticket.id;
        } catch (error) {
          takeBack();
          if (!(error instanceof Refusal)) throw error;
          showToast({ kind: 'error', text: `${ticket.code}: ${error.message}`, ...toPerson(change, error) });
          if (error.status === 409) onConflict?.();
          ticketsChanged([ticket.id]);
          return undefined;
        }
      }),
    );
    const changed = results.flatMap((id) => id ?? []);
    if (said && changed.length > 0)
      showToast({
        kind: 'done',
        text: said,
        ...(undo && {
          undo: async () => {
            await Promise.all(
              tickets.map(async ({ id, code }) => {
                const data = changed.includes(id) ? undo(id) : undefined;
                try {
                  if (data) await write(id, { data, ...(expectedByUndo && { expected: expectedByUndo }) });
                } catch (error) {
                  if (!(error instanceof Refusal)) throw error;
                  showToast({ kind: 'error', text: `${code}: ${error.message}` });
                }
              }),
            );
            ticketsChanged(changed);
          },
        }),
      });
    ticketsChanged(changed);
    return changed;
  };
  return (tickets, asked) => endsWithUndo(changeAll(tickets, asked));
}
