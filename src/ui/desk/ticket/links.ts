import { call } from '../api/call.ts';
import { operationKey, queryClient } from '../api/query.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { toastRefusal } from '../kit/toast-refusal.ts';
import { endsWithUndo, showToast } from '../../kit/toast.tsx';

type Link = TicketDetail['links'][number];
/** A link as one of its two tickets sees it. */
type NewLink = Pick<Link, 'kind' | 'direction'> & { ticket: { id: string } };

interface Said {
  linked: string;
  unlinked: string;
}

/** Links two tickets; offers to undo it. Throws Refusal. */
export const addLink = (ticket: TicketDetail, link: NewLink, said: Said): Promise<void> =>
  endsWithUndo(add(ticket, link, said));

/** Removes a link; offers to undo it. Throws Refusal. */
export const removeLink = (ticket: TicketDetail, link: NewLink & { id: string }, said: Said): Promise<void> =>
  endsWithUndo(remove(ticket, link, said));

async function add(ticket: TicketDetail, link: NewLink, said: Said): Promise<void> {
  const { kind, direction, ticket: other } = link;
  const [from, to] = direction === 'in' ? [other.id, ticket.id] : [ticket.id, other.id];
  const record = await call('linkTicket', { params: { id: from }, body: { ticketId: to, kind } });
  if (record.id === ticket.id)
    queryClient.setQueryData(operationKey('readTicket', { params: { id: ticket.code } }), record);
  ticketsChanged([ticket.id, other.id]);
  const added = record.links.find((each) => each.kind === kind && each.ticket.id === to);
  showToast({
    kind: 'done',
    text: said.linked,
    ...(added && { undo: () => toastRefusal(() => removeLink(ticket, { ...link, id: added.id }, said)) }),
  });
}

async function remove(ticket: TicketDetail, link: NewLink & { id: string }, said: Said): Promise<void> {
  const record = await call('unlinkTicket', { params: { id: ticket.id, linkId: link.id } });
  queryClient.setQueryData(operationKey('readTicket', { params: { id: ticket.code } }), record);
  ticketsChanged([ticket.id, link.ticket.id]);
  showToast({
    kind: 'done',
    text: said.unlinked,
    undo: () => toastRefusal(() => addLink(ticket, link, said)),
  });
}
