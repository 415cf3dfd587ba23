import { setTimeout as after } from 'node:timers/promises';

import { ServiceError } from '../../client/index.ts';
import { helpText, ticketAnswer } from '../blocks/answers.ts';
import { cardOf } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../chat/respond.ts';
import { parseCommand } from '../decide/command.ts';
import type { ChatCommand, EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { personOf } from '../links/people.ts';
import { escapeChat } from '../text/to-chat.ts';
import { changeStatus } from './change-status.ts';
import { findTicket } from './find-ticket.ts';
import { planNewTicket } from './new-ticket.ts';
import { searchTickets } from './search-tickets.ts';
import { factsOf } from './ticket-facts.ts';

/** A person who waits longer than this is told that the work goes on (B34: three seconds at most). */
const PATIENCE_MS = 1_800;

/** A slash command: its effect happens once, its answer is shown to who typed it. */
export async function runCommand(bridge: Bridge, turn: Turn<EventOf<'command'>>): Promise<void> {
  const { command } = turn.event;
  const tell = (answer: Answer) => respond(bridge, command.responseUrl, answer);
  if (parseCommand(command.text).do === 'new') return openByCommand(bridge, turn, tell);
  const done = new AbortController();
  const patience = after(PATIENCE_MS, 'slow' as const, { signal: done.signal }).catch(() => 'done' as const);
  const work = answerOf(bridge, command);
  try {
    if (
      (await Promise.race([
        work.then(
          () => 'done' as const,
          () => 'done' as const,
        ),
        patience,
      ])) === 'slow' &&
      turn.attempt === 1
    )
      await tell({
        text: 'Still at it: the help desk’s service is slow to answer. I will tell you here when it is done.',
      });
    const answer = await work;
    await turn.finish(`B32 ${parseCommand(command.text).do}`);
    await tell(answer);
  } catch (error) {
    await tellFailure(bridge, turn, error, tell, parseCommand(command.text).do === 'status');
  } finally {
    done.abort();
  }
}

async function openByCommand(
  bridge: Bridge,
  turn: Turn<EventOf<'command'>>,
  tell: (answer: Answer) => Promise<void>,
): Promise<void> {
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

/** What can pass is tried again in the lane, and the person knows; what cannot is said and done with (B47). */
async function tellFailure(
  bridge: Bridge,
  turn: Turn<unknown>,
  error: unknown,
  tell: (answer: Answer) => Promise<void>,
  changes: boolean,
): Promise<void> {
  if (!(error instanceof ServiceError)) throw error;
  if (error.next === 'retry' && !changes) {
    await turn.finish('B47 the service is away');
    await tell({
      text: 'The help desk’s service cannot be reached right now. Please try again in a minute.',
    });
    return;
  }
  if (error.next === 'retry') {
    if (turn.attempt === 1)
      await tell({
        text: 'The help desk’s service cannot be reached right now. Your command is kept and runs as soon as it can; I will tell you here.',
      });
    throw error;
  }
  await turn.finish('the service refused');
  bridge.log.warn({ err: error }, 'a command was refused by the service');
  await tell({
    text: 'The help desk’s service refused this. Nothing was changed; whoever runs the help desk finds the reason in its log.',
  });
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
      const found = await findTicket(bridge, command.ref, channel, await personOf(bridge, team, user));
      return 'refusal' in found
        ? { text: found.refusal }
        : changeStatus(bridge, found.ticket, command.status);
    }
    case 'new':
      throw new Error('a new ticket is planned, not answered');
  }
}
