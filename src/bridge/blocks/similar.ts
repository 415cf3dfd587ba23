import { shorten } from '../../contract/index.ts';
import { escapeChat } from '../text/to-chat.ts';
import { link } from './card.ts';

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
