import { incompleteText, unknownText } from './answers.ts';
import type { Bridge } from '../../bridge.ts';
import { type Answer, respond } from '../../slack/respond.ts';
import { type Command, parseCommand } from './command-rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { answerInTime, type Tell, tellFailure } from '../../inbox/answer-in-time.ts';
import { askedBy } from './asked-by.ts';
import { refuse, type Said } from './asked.ts';
import { WORK } from './work.ts';
import { findTicket } from '../../tickets/find-ticket.ts';
import { planNewTicket } from '../../tickets/new-ticket.ts';
import { offerTickets } from './pick-ticket.ts';

/** A valid command except `new`. */
type Understood = Extract<Command, { words: string }> & { do: keyof typeof WORK };

/** Runs a slash command once; its answer is visible only to the user. */
export async function runCommand(bridge: Bridge, turn: Turn<EventOf<'command'>>): Promise<void> {
  const { command } = turn.event;
  const tell = (answer: Answer) => respond(bridge, command.responseUrl, answer);
  const parsed = parseCommand(command.text);
  const outcome = `B32 ${parsed.do}`;
  if (parsed.do === 'incomplete' || parsed.do === 'unknown') {
    await turn.finish(`${outcome}: refused`);
    return tell(misunderstood(bridge, parsed));
  }
  if (parsed.do === 'new') return openByCommand(bridge, turn, parsed.words, tell);
  const understood = { ...parsed, do: parsed.do };
  const { changes } = WORK[understood.do];
  await answerInTime(bridge, turn, tell, { changes, outcome }, () => answerOf(bridge, turn, understood));
}

function misunderstood(
  { command }: Bridge,
  parsed: Extract<Command, { do: 'incomplete' | 'unknown' }>,
): Said {
  return refuse(
    parsed.do === 'incomplete'
      ? incompleteText(command, parsed.of, parsed.missing)
      : unknownText(command, parsed.word, parsed.meant),
  );
}

async function openByCommand(
  bridge: Bridge,
  turn: Turn<EventOf<'command'>>,
  title: string,
  tell: Tell,
): Promise<void> {
  try {
    const planned = await planNewTicket(bridge, turn.event.command, title);
    if ('refusal' in planned) {
      await turn.finish('B7 no queue');
      await tell({ text: planned.refusal });
    } else await turn.finish('B1 command: root planned', (tx) => planned.record(tx));
  } catch (error) {
    await tellFailure(bridge, turn, error, tell, true);
  }
}

async function answerOf(bridge: Bridge, turn: Turn<EventOf<'command'>>, parsed: Understood): Promise<Said> {
  const { command } = turn.event;
  const asked = await askedBy(bridge, command, parsed, turn, turn.receivedAt);
  const work = WORK[parsed.do];
  if ('run' in work) return work.run(bridge, asked);
  if (parsed.ref === undefined) return offerTickets(bridge, asked, parsed.do, turn.inboxId ?? '');
  const found = await findTicket(bridge, parsed.ref, command.channel, asked.person);
  return 'refusal' in found ? refuse(found.refusal) : work.onTicket(bridge, asked, found.ticket);
}
