import type { Bridge } from '../bridge.ts';
import type { Answer } from '../chat/respond.ts';
import { matchName } from '../decide/command.ts';
import { escapeChat } from '../text/to-chat.ts';
import type { Ticket } from './find-ticket.ts';
import { setStatus } from './set-status.ts';

/** Sets a ticket's status by the name that somebody typed, or says which names there are (B33, B36). */
export async function changeStatus(
  bridge: Bridge,
  ticket: Ticket,
  typed: string,
  by: string | null,
): Promise<Answer> {
  const workspaceId = ticket.queue?.workspaceId;
  const { items } = await bridge.service.listStatuses({
    query: { sortBy: 'order', ...(workspaceId ? { workspaceId } : {}) },
  });
  const match = matchName(typed, items);
  if (!match || 'candidates' in match) {
    const labels = (match?.candidates ?? items).map((status) => `*${escapeChat(status.label)}*`).join(', ');
    const why = match
      ? `“${escapeChat(typed)}” could be more than one status`
      : `There is no status “${escapeChat(typed)}”`;
    return { text: `${why}. Type one of: ${labels}.` };
  }
  return setStatus(bridge, ticket, match.found, by);
}
