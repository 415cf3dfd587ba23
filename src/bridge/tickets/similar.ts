import { ServiceError } from '../../client/index.ts';
import { shorten } from '../../contract/index.ts';
import { link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { escapeChat } from '../text/to-chat.ts';
import { type Listed, searchTickets, type Searcher } from './search.ts';
import { hasEnded } from './status-rules.ts';
import { namesOf, ticketUrl } from './ticket-facts.ts';
import { UNTITLED } from './title-rules.ts';

/** Hits that are looked at for solved ones, and tickets that are shown. */
const LOOKED_AT = 10;
const SHOWN = 3;
/** What is shown beside something else does not keep it waiting. */
const PATIENCE_MS = 1_500;

interface Like {
  /** What the tickets are to be like. */
  words: string;
  searcher: Searcher;
  excludeTicketId?: string;
  /** What else a ticket has to be, to be shown there. */
  mayShow?: (ticket: Listed) => boolean | Promise<boolean>;
}

/** At most three tickets like some words, solved ones first; none while the service does not say (B62). */
export async function similarTickets(
  bridge: Bridge,
  { words, searcher, excludeTicketId, mayShow = () => true }: Like,
): Promise<SimilarTicket[]> {
  if (words.trim() === '') return [];
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const hits = await searchTickets(bridge, words, searcher, { excludeTicketId, signal });
    const shown: Listed[] = [];
    for (const { ticket } of hits.slice(0, LOOKED_AT)) if (await mayShow(ticket)) shown.push(ticket);
    const isSolved = (ticket: Listed) => hasEnded(ticket.status.statusGroup.label);
    const best = shown.toSorted((a, b) => Number(isSolved(b)) - Number(isSolved(a))).slice(0, SHOWN);
    const nameOf = await namesOf(
      bridge,
      best.map(({ assigneeId }) => assigneeId),
    );
    return best.map((ticket) => ({
      code: ticket.code,
      url: ticketUrl(bridge, ticket.code),
      title: ticket.title ?? UNTITLED,
      status: ticket.status.label,
      isSolved: isSolved(ticket),
      assignee: nameOf(ticket.assigneeId),
    }));
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

/** A ticket similar to another one, or to a new request. */
export interface SimilarTicket {
  code: string;
  url: string;
  title: string;
  status: string;
  isSolved: boolean;
  assignee: string | undefined;
}

const TITLE_SHOWN = 100;

/** Returns similar tickets in mrkdwn, one per line, with who solved each. */
export function similarLines(tickets: readonly SimilarTicket[]): string {
  return tickets
    .map(({ code, url, title, status, isSolved, assignee }) => {
      const name = assignee === undefined ? undefined : escapeChat(assignee);
      const state =
        isSolved && name !== undefined
          ? `solved by ${name}`
          : [escapeChat(status), name].filter(Boolean).join(', ');
      return `•  ${link(url, code)}  ${escapeChat(shorten(title, TITLE_SHOWN))}  ·  ${state}`;
    })
    .join('\n');
}
