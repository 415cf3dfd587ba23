import { helpText, ticketAnswer } from '../blocks/answers.ts';
import { cardOf } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../chat/respond.ts';
import { parseCommand } from '../decide/command.ts';
import type { ChatCommand, EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { personOf } from '../links/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { answerInTime, type Tell, tellFailure } from './answer-in-time.ts';
import { changeStatus } from './change-status.ts';
import { chooseNotices } from './choose-notices.ts';
import { findTicket } from './find-ticket.ts';
import { linkMe } from './link-me.ts';
import { asksForForm, fillForm } from './open-form.ts';
import { planNewTicket } from './new-ticket.ts';
import { searchTickets } from './search-tickets.ts';
import { factsOf } from './ticket-facts.ts';

/** A slash command: its effect happens once, its answer is shown to who typed it. */
export async function runCommand(bridge: Bridge, turn: Turn<EventOf<'command'>>): Promise<void> {
  const { command } = turn.event;
  if (asksForForm(command.text)) return fillForm(bridge, turn);
  const tell = (answer: Answer) => respond(bridge, command.responseUrl, answer);
  if (parseCommand(command.text).do === 'new') return openByCommand(bridge, turn, tell);
  const { do: name } = parseCommand(command.text);
  await answerInTime(bridge, turn, tell, { changes: name === 'status', outcome: `B32 ${name}` }, () =>
    answerOf(bridge, command),
  );
}

async function openByCommand(bridge: Bridge, turn: Turn<EventOf<'command'>>, tell: Tell): Promise<void> {
  const { command } = turn.event;
  const parsed = parseCommand(command.text);
  if (parsed.do !== 'new') return;
  try {
    const planned = await planNewTicket(bridge, command, parsed.title);
    if ('refusal' in planned) {
      await turn.finish('B7 no queue');
      await tell({ text: planned.refusal });
    } else await turn.finish('B1 command: root planned', (tx) => planned.record(tx));
  } catch (error) {
    await tellFailure(bridge, turn, error, tell, true);
  }
}

async function answerOf(bridge: Bridge, { team, channel, user, text }: ChatCommand): Promise<Answer> {
  const command = parseCommand(text);
  switch (command.do) {
    case 'help':
      return { text: helpText(bridge.command) };
    case 'unknown':
      return { text: `I do not know \`${escapeChat(command.word)}\`.\n${helpText(bridge.command)}` };
    case 'incomplete':
      return {
        text: `Please say ${escapeChat(command.missing)}: \`${bridge.command} ${escapeChat(command.usage)}\`.`,
      };
    case 'search':
      return searchTickets(bridge, command.words, await personOf(bridge, team, user));
    case 'show': {
      const found = await findTicket(bridge, command.ref, channel, await personOf(bridge, team, user));
      if ('refusal' in found) return { text: found.refusal };
      return ticketAnswer(cardOf(await factsOf(bridge, found.ticket)), found.ticket.code);
    }
    case 'status': {
      const person = await personOf(bridge, team, user);
      const found = await findTicket(bridge, command.ref, channel, person);
      return 'refusal' in found
        ? { text: found.refusal }
        : changeStatus(bridge, found.ticket, command.status, person.user_id);
    }
    case 'notify':
      return chooseNotices(bridge, { team, user }, command.level);
    case 'link-me':
      return linkMe(bridge, await personOf(bridge, team, user));
    case 'new':
      throw new Error('a new ticket is planned, not answered');
  }
}
