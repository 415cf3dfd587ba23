import { link } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { answerRequester } from '../answer-requester.ts';
import { messageWriter } from '../create-once.ts';
import type { Ticket } from '../find-ticket.ts';
import { markdownOf } from '../message-text.ts';
import { refusalFor } from '../press-card.ts';
import { signed } from '../speaker.ts';
import { ticketUrl } from '../ticket-facts.ts';
import { type Asked, refuse, type Said, type Work } from './asked.ts';

/** In place of a chat channel: a command's note stands in none, and yet a repeated one must be known as the same. */
const NOTE_CHANNEL = 'deskbridge-note';

/** `/ticket reply`: a public answer, which is posted in the requester's thread under the writer's name (B13). */
export const reply: Work = {
  changes: true,
  onTicket: (bridge, asked, ticket) => say(bridge, asked, ticket, false),
};

/** `/ticket note`: what only the team reads (B14). */
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
  if (isNote) await addTeamNote(bridge, asked, ticket, markdown);
  else await answerRequester(bridge, begun, ticket.id, person, `command ${key}`, markdown);
  const named = link(ticketUrl(bridge, ticket.code), ticket.code);
  return { text: isNote ? `Your note is on ${named}.` : `Your answer is on ${named}.` };
}

async function addTeamNote(
  bridge: Bridge,
  { person, begun, key }: Asked,
  ticket: Ticket,
  markdown: string,
): Promise<void> {
  const write = messageWriter(bridge, begun, ticket.id);
  await write({
    content: signed(person, markdown),
    private: true,
    chatChannelId: NOTE_CHANNEL,
    chatTimestamp: key,
    ...(person.user_id ? { authorId: person.user_id } : {}),
  });
}
