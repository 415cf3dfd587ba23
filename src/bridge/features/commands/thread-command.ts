import { incompleteText, inThreadExample } from './answers.ts';
import type { Bridge } from '../../bridge.ts';
import type { Told } from '../../hooks.ts';
import { plan } from '../../outbox/outbox.ts';
import { describedAs } from './table-rules.ts';
import { matchName } from '../../tickets/match-name-rules.ts';
import { type ThreadCommand, threadCommand, treatThreadCommand } from './thread-rules.ts';
import type { ChatMessage, EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { type Conversation, placeOf } from '../../threads/conversations.ts';
import { compareTs, eventKey, writtenAt } from '../../slack/ids.ts';
import { personOf } from '../../people/people.ts';
import { unescapeChat } from '../../text/mrkdwn.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { parseWhen } from '../../blocks/when.ts';
import { knownZone } from '../../blocks/zone.ts';
import { answersSince } from '../../threads/answer-outside.ts';
import { isNoMoment, PRIORITIES } from './change.ts';
import { WORK } from './work.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';

/**
 * Returns the meaning of a message that starts with a mention of the bot in its ticket's thread (B32). Throws
 * ServiceError.
 */
export async function commandIn(
  bridge: Bridge,
  conversation: Conversation,
  message: ChatMessage,
): Promise<Told> {
  const command = threadCommand(message.text, bridge.bot.userId);
  if (!command || conversation.ticket_id === null || message.files.length > 0) return { do: 'reply' };
  const since = Date.parse(await answersSince(bridge)) / 1000;
  if (compareTs(message.ts, since.toFixed(6)) < 0) return { do: 'past' };
  const ticket = await readTicket(bridge, conversation.ticket_id);
  if (!ticket) return { do: 'reply' };
  const treatment = treatThreadCommand(command, await fits(bridge, command, ticket, message));
  if (treatment === 'work')
    return { do: 'work', work: (turn) => workThreadCommand(bridge, turn, conversation, command) };
  return treatment === 'reply' ? { do: 'reply' } : { do: 'reply', hint: hintFor(bridge, command) };
}

function hintFor({ command, bot }: Bridge, { do: name, words }: ThreadCommand): string {
  const { needs = '', example } = describedAs(name);
  const typed = `\`${escapeChat(inThreadExample(example, bot.name))}\``;
  return words
    ? `Your reply is on the ticket. If “${words}” was to be ${needs}, I did not understand it: type for example ${typed}, or \`${command} help ${name}\`.`
    : `Your reply is on the ticket. ${incompleteText(command, name, needs)} In this thread: ${typed}.`;
}

/** Returns whether the text after a command is a valid argument. */
async function fits(
  bridge: Bridge,
  { do: name, words }: ThreadCommand,
  ticket: Ticket,
  { team, user = '', ts }: ChatMessage,
): Promise<boolean> {
  const isOne = (all: readonly { label: string }[]) => {
    const match = matchName(unescapeChat(words), all);
    return match !== undefined && 'found' in match;
  };
  switch (name) {
    case 'status':
      return isOne(await bridge.statuses.of(ticket));
    case 'priority':
      return isOne(PRIORITIES);
    case 'assign':
      return /^(?:me|nobody|none|<@[A-Z0-9]+(?:\|[^>]*)?>)$/i.test(words);
    case 'snooze':
    case 'due': {
      const { time_zone } = await personOf(bridge, team, user);
      const options = {
        now: writtenAt(ts),
        timeZone: knownZone(time_zone),
        timeOfDay: '23:59',
      };
      return isNoMoment(words) || 'at' in parseWhen(words, options);
    }
    default:
      return words === '';
  }
}

/** Runs a command from a thread and answers its author there (B32, B34). */
async function workThreadCommand(
  bridge: Bridge,
  turn: Turn<EventOf<'message'>>,
  conversation: Conversation,
  { do: name, words }: ThreadCommand,
): Promise<void> {
  const { message } = turn.event;
  const { team, channel, user = '' } = message;
  const work = name === 'new' ? undefined : WORK[name];
  const ticket = await readTicket(bridge, conversation.ticket_id ?? '');
  if (!work || !('onTicket' in work) || !ticket) return turn.finish('B32 nothing to do it to');
  const person = await personOf(bridge, team, user);
  const asked = { team, channel, person, words: unescapeChat(words), escaped: words };
  const { text, refused } = await work.onTicket(
    bridge,
    { ...asked, begun: turn, typedAt: writtenAt(message.ts), key: eventKey.message(message) },
    ticket,
  );
  await turn.finish(`B32 ${name} in the thread${refused ? ': refused' : ''}`, (tx) =>
    plan(tx, bridge, { ...placeOf(conversation), channel }, [
      { kind: 'whisper', user, text, thread: message.root },
    ]),
  );
}
