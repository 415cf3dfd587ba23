import type { Bridge } from '../../bridge.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { markdownOf } from '../../threads/message-text.ts';
import { refusalFor } from '../../tickets/act.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import { writeMessage } from '../../threads/write-message.ts';
import { type Asked, refuse, type Said, type Work } from './asked.ts';

/** `/ticket reply`: a public reply, posted in the requester's thread under the author's name (B13). */
export const reply: Work = {
  changes: true,
  onTicket: (bridge, asked, ticket) => say(bridge, asked, ticket, false),
};

/** `/ticket note`: an internal note (B14). */
export const note: Work = {
  changes: true,
  onTicket: (bridge, asked, ticket) => say(bridge, asked, ticket, true),
};

async function say(bridge: Bridge, asked: Asked, ticket: Ticket, isNote: boolean): Promise<Said> {
  const { person, team, escaped, begun, key } = asked;
  const refusal = await refusalFor(bridge, ticket, person, isNote ? 'note' : 'reply');
  if (refusal) return refusal;
  const markdown = await markdownOf(bridge, team, escaped);
  const what = isNote ? 'note' : 'answer';
  if (markdown.trim() === '') return refuse(`Your ${what} had no words; nothing was written.`);
  await writeMessage(
    bridge,
    begun,
    ticket.id,
    person,
    isNote ? { kind: 'note', key, markdown } : { kind: 'answer', key: `command ${key}`, markdown },
  );
  const named = ticketLink(bridge, ticket.code);
  return { text: isNote ? `Your note is on ${named}.` : `Your answer is on ${named}.` };
}
