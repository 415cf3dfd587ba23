import { helpText } from '../../blocks/answers.ts';
import { HOW_TO_SEARCH, LOOKING, requestBlocks } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { type OutboxBody, type OutboxRow, plan } from '../../outbox/outbox.ts';
import type { Answer } from '../../slack/respond.ts';
import type { Call } from '../../outbox/send.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { type Question, questionIn } from './rules.ts';
import type { ChatMessage, EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { type Conversation, placeOf } from '../../threads/conversations.ts';
import { compareTs, isDirectOfTwo } from '../../slack/ids.ts';
import { personOf } from '../../people/people.ts';
import { answersSince } from '../../threads/answer-outside.ts';
import { listTickets } from '../commands/list-tickets.ts';
import { textOf } from '../../threads/message-text.ts';
import { isRefusedGuest, NO_GUESTS } from '../../tickets/refuse-guest.ts';

/** What a message asks of the bot itself, where its workspace is offered in the assistant pane (B61). Throws ServiceError. */
export async function questionOf(bridge: Bridge, message: ChatMessage): Promise<Question | undefined> {
  if (!isDirectOfTwo(message.channel) || message.files.length > 0) return undefined;
  return (await bridge.channels.inAssistant())
    ? questionIn((await textOf(bridge, message)).words)
    : undefined;
}

/** The same, by whether it was asked since the bridge has its tables: what was asked before had its answer then. */
export async function asksOf(bridge: Bridge, message: ChatMessage): Promise<'now' | 'before' | undefined> {
  if (!(await questionOf(bridge, message))) return undefined;
  const since = Date.parse(await answersSince(bridge)) / 1000;
  return compareTs(message.ts, since.toFixed(6)) < 0 ? 'before' : 'now';
}

/** Answers what was asked of the bot, below the question. */
export async function answerQuestion(
  bridge: Bridge,
  turn: Turn<EventOf<'message'>>,
  conversation: Conversation,
): Promise<void> {
  const { message } = turn.event;
  const { team, channel, user = '', root: under } = message;
  const question = await questionOf(bridge, message);
  if (!question) return turn.finish('B61 the assistant pane was switched off meanwhile');
  if (question.asks === 'request' && (await isRefusedGuest(bridge, team, channel, user)))
    return turn.finish('B9 a guest, told so', (tx) =>
      plan(tx, bridge, placeOf(conversation), [{ kind: 'line', text: NO_GUESTS, under }]),
    );
  await turn.finish(`B61 asked: ${question.asks}`, async (tx) => {
    // The next message of this thread is the request (B6).
    if (question.asks === 'request')
      await tx
        .updateTable('conversation')
        .set({ asked_user_id: user })
        .where('id', '=', conversation.id)
        .execute();
    await plan(tx, bridge, placeOf(conversation), answersTo(bridge, question, message));
  });
}

function answersTo(
  { command }: Pick<Bridge, 'command'>,
  question: Question,
  { user = '', root: under }: ChatMessage,
): OutboxBody[] {
  const look = { kind: 'look' as const, user, under };
  const looking = { kind: 'pane' as const, shows: { what: 'status' as const, thread: under, text: LOOKING } };
  switch (question.asks) {
    case 'request': {
      const text = whatIsNeeded(user);
      return [{ kind: 'line', text, blocks: requestBlocks(text), under }];
    }
    case 'help':
      return [{ kind: 'line', text: helpText(command), under }];
    case 'mine':
      return [looking, look];
    case 'search':
      return question.words === ''
        ? [{ kind: 'line', text: HOW_TO_SEARCH, under }]
        : [looking, { ...look, words: question.words }];
  }
}

/** Asks somebody for the words of their ticket (B6). */
export function whatIsNeeded(user: string): string {
  return `<@${user}> What do you need? Your next message here becomes the ticket.`;
}

/** Posts what was found, as it is at this moment. The post ends the status; so does chat's refusal to take it. */
export async function lookCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { user, under: thread, words }: Extract<OutboxBody, { kind: 'look' }>,
): Promise<Call> {
  const { team_id: team, channel_id: channel } = row;
  const person = await personOf(bridge, team, user);
  const isNobody = words === undefined && person.user_id === null;
  const found: Answer = isNobody
    ? { text: 'The help desk’s service does not know you as a user yet: nothing is yours.' }
    : await listTickets(bridge, person, words === undefined ? { list: 'mine' } : { words });
  const as = await bridge.channels.botFace(channel);
  const { text, blocks } = found;
  return {
    methods: ['chat.postMessage'],
    lookIn: { thread },
    make: async (id) => (await writer.post({ channel, text, blocks, thread, as, mark: { id } })).ts,
    takeBack: (ts) => writer.remove(channel, ts),
    refused: () => writer.showStatus(channel, thread, '').catch(() => undefined),
  };
}
