import { unescapeMrkdwn, escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import {
  type CommandName,
  parseCommand,
  describedAs,
  type ThreadCommand,
  threadCommand,
  treatThreadCommand,
} from '../../tickets/command-rules.ts';
import { chooseNotices } from '../notifications/index.ts';
import { type Work, readRequest, type CommandRequest, refuse, queueHere } from './request.ts';
import { changeCommands, isNoMoment, PRIORITIES } from './change.ts';
import { runnableOn, workflowCommands } from './workflows.ts';
import { setUpCommands, observedPage, turnOnOwnChannels } from './set-up.ts';
import { readCommands, incompleteText, unknownText, inThreadExample } from './read.ts';
import { pickBlocks, ACTIONS } from '../../blocks/results.ts';
import type { Bridge } from '../../bridge.ts';
import { respond, type Answer } from '../../slack/respond.ts';
import type { ChatCommand, EventOf, ChatMessage } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { answerInTime, type Tell, reportFailure } from '../../inbox/answer-in-time.ts';
import { findTicket, readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { recentTickets, listTickets, readPage, sharedList } from './list-tickets.ts';
import { planShared, type Shared } from '../shown/index.ts';
import { planNewTicket } from '../../threads/new-ticket.ts';
import type { MentionCommand } from '../../hooks.ts';
import { planPosts } from '../../store/posts.ts';
import { matchName } from '../../tickets/rules.ts';
import { type Conversation, locationOf } from '../../store/conversations.ts';
import { compareTs, eventKey, writtenAt } from '../../slack/ids.ts';
import { personOf } from '../../people/people.ts';
import { wordsOfCommand } from '../../threads/message-text.ts';
import { typedWords } from '../../text/typed.ts';
import { parseWhen, knownZone } from '../../blocks/time.ts';
import { firstRun } from '../../first-run.ts';
import { COMMAND } from '../../threads/rules.ts';
import { cardOf } from '../../blocks/card.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { readCardFacts } from '../../tickets/ticket-facts.ts';
import type { ActionAnswer } from '../../tickets/update-ticket.ts';
import type { Done } from '../../work.ts';

/**
 * The implementation of each command in the table; a new one is a row there, and its implementation here.
 * `openByCommand` handles `new`, because its ticket opens once its parent message is posted.
 */
const WORK: Record<Exclude<CommandName, 'new'>, Work> = {
  ...readCommands,
  ...changeCommands,
  ...workflowCommands,
  ...setUpCommands,
  notify: {
    run: (bridge, { team, person, words }) =>
      chooseNotices(bridge, { team, user: person.chat_user_id }, words),
  },
};

const OFFERED = 10;

/**
 * Answers a command without a ticket with a menu of the user's recent ones in this channel's queue (B32); the command
 * stays in the stored event, which the choice refers to.
 */
async function offerTickets(
  bridge: Bridge,
  { person, channel }: CommandRequest,
  name: CommandName,
  inboxId: string,
): Promise<ActionAnswer> {
  const channelQueue = await queueHere(bridge, channel);
  const linked = channelQueue?.linked ? channelQueue.queueId : undefined;
  const tickets = await recentTickets(bridge, person, {
    queueId: linked,
    ended: name === 'reopen' ? true : name === 'show' ? undefined : false,
    limit: OFFERED,
  });
  if (tickets.length === 0) return refuse(incompleteText(bridge.command, name, 'which ticket'));
  return pickBlocks(`\`${bridge.command} ${name}\`: which ticket?`, tickets, `pick ${inboxId}`);
}

/** A ticket was chosen: runs the command with it. */
export async function pickTicket(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { blockId, user, value, responseUrl } = ctx.event.action;
  const typed = await commandOf(bridge, blockId);
  const parsed = typed?.command.user === user ? parseCommand(typed.command.escaped) : undefined;
  const name = parsed && 'words' in parsed && parsed.do !== 'new' ? parsed.do : undefined;
  const work = name && WORK[name];
  return answerInTime(
    bridge,
    ctx,
    (answer) => respond(bridge, responseUrl, { ...answer, replaces: true }),
    { changes: work?.changes ?? false, outcome: `command: ${name ?? 'nothing'}, with a chosen ticket` },
    async () => {
      if (!typed || !parsed || !('words' in parsed) || !work || !('onTicket' in work))
        return refuse('Your command has expired. Type it again.');
      const { command, typedAt } = typed;
      return runOnTicket(bridge, work, await readRequest(bridge, command, parsed.words, ctx, typedAt), value);
    },
  );
}

async function commandOf(
  { database, envelopes }: Bridge,
  blockId: string,
): Promise<{ command: ChatCommand; typedAt: Date } | undefined> {
  const row = await database.db
    .selectFrom('inbox')
    .select(['body', 'received_at'])
    .where('id', '=', /^pick (.+)$/.exec(blockId)?.[1] ?? '')
    .executeTakeFirst();
  const event = row && envelopes.read(row.body)?.event;
  return row && event?.kind === 'command' ? { command: event.command, typedAt: row.received_at } : undefined;
}

/** Runs a slash command once; its answer is visible only to the user. */
export async function runCommand(bridge: Bridge, ctx: EventContext<EventOf<'command'>>): Promise<Done> {
  const { command } = ctx.event;
  const tell = (answer: Answer) => respond(bridge, command.responseUrl, answer);
  const parsed = parseCommand(command.escaped);
  const outcome = `command: ${parsed.do}`;
  if (!('words' in parsed)) {
    const text =
      parsed.do === 'incomplete'
        ? incompleteText(bridge.command, parsed.of, typedWords(parsed.missing))
        : unknownText(bridge.command, typedWords(parsed.word), parsed.meant);
    ctx.afterwards(() => tell({ text }));
    return ctx.finish(`${outcome}, refused`);
  }
  const { do: name, ref, words } = parsed;
  if (name === 'new') return openByCommand(bridge, ctx, words, tell);
  const work = WORK[name];
  return answerInTime(bridge, ctx, tell, { changes: work.changes ?? false, outcome }, async () => {
    const asked = await readRequest(bridge, command, words, ctx, ctx.receivedAt);
    if ('run' in work) return work.run(bridge, asked);
    return ref === undefined
      ? offerTickets(bridge, asked, name, ctx.inboxId ?? '')
      : runOnTicket(bridge, work, asked, ref);
  });
}

async function runOnTicket(
  bridge: Bridge,
  work: Extract<Work, { onTicket: unknown }>,
  asked: CommandRequest,
  named: string,
): Promise<ActionAnswer> {
  const found = await findTicket(bridge, named, asked.channel, asked.person);
  return 'refusal' in found ? refuse(found.refusal) : work.onTicket(bridge, asked, found.ticket);
}

async function openByCommand(
  bridge: Bridge,
  ctx: EventContext<EventOf<'command'>>,
  title: string,
  tell: Tell,
): Promise<Done> {
  try {
    const planned = await planNewTicket(bridge, ctx.event.command, title);
    if ('refusal' in planned) {
      const { refusal: text } = planned;
      ctx.afterwards(() => tell({ text }));
      return ctx.finish('no ticket opened: reason sent');
    }
    return ctx.finish('command: new, its first message is planned', (tx) => planned.record(tx));
  } catch (error) {
    return reportFailure(bridge, ctx, error, tell, true);
  }
}

/**
 * Returns the meaning of a message that starts with a mention of the bot in its ticket's thread (B32). Throws
 * ServiceError.
 */
export async function commandIn(
  bridge: Bridge,
  conversation: Conversation,
  message: ChatMessage,
): Promise<MentionCommand> {
  const command = threadCommand(message.text, bridge.bot.userId);
  if (!command || conversation.ticket_id === null || message.files.length > 0) return { do: 'reply' };
  const since = (await firstRun(bridge)).getTime() / 1000;
  if (compareTs(message.ts, since.toFixed(6)) < 0) return { do: 'past' };
  const ticket = await readTicket(bridge, conversation.ticket_id);
  if (!ticket) return { do: 'reply' };
  const treatment = treatThreadCommand(command, await isValidArgument(bridge, command, ticket, message));
  if (treatment === 'work')
    return { do: 'work', work: (ctx) => workThreadCommand(bridge, ctx, conversation, command) };
  return treatment === 'reply' ? { do: 'reply' } : { do: 'reply', hint: hintFor(bridge, command) };
}

function hintFor({ command, bot }: Bridge, { do: name, words }: ThreadCommand): string {
  const { needs = '', example } = describedAs(name);
  const typed = `\`${escapeMrkdwn(inThreadExample(example, bot.name))}\``;
  return words
    ? `Your reply is on the ticket. If “${escapeMrkdwn(typedWords(words))}” was meant as ${needs}, I did not understand it: type for example ${typed}, or \`${command} help ${name}\`.`
    : `Your reply is on the ticket. ${incompleteText(command, name, needs)} In this thread: ${typed}.`;
}

/** Returns whether the text after a command is a valid argument. */
async function isValidArgument(
  bridge: Bridge,
  { do: name, words }: ThreadCommand,
  ticket: Ticket,
  { team, user = '', ts }: ChatMessage,
): Promise<boolean> {
  const isOne = (all: readonly { label: string }[]) => {
    const match = matchName(unescapeMrkdwn(words), all);
    return match !== undefined && 'found' in match;
  };
  switch (name) {
    case 'status':
      return isOne(await bridge.statuses.of(ticket));
    case 'priority':
      return isOne(PRIORITIES);
    case 'run':
      return isOne(await runnableOn(bridge, ticket));
    case 'assign':
      return /^(?:me|nobody|none|<@[A-Z0-9]+(?:\|[^>]*)?>)$/i.test(words);
    case 'snooze':
    case 'due': {
      const { time_zone } = await personOf(bridge, team, user);
      const options = { now: writtenAt(ts), timeZone: knownZone(time_zone), timeOfDay: '23:59' };
      return isNoMoment(words) || 'at' in parseWhen(words, options);
    }
    default:
      return words === '';
  }
}

/** Runs a command from a thread and answers its author there (B32, B34). */
async function workThreadCommand(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message'>>,
  conversation: Conversation,
  { do: name, words }: ThreadCommand,
): Promise<Done> {
  const { message } = ctx.event;
  const { team, channel, user = '' } = message;
  const work = name === 'new' ? undefined : WORK[name];
  const ticket = await readTicket(bridge, conversation.ticket_id ?? '');
  if (!work || !('onTicket' in work) || !ticket) return ctx.finish(`${COMMAND}: no ticket to run it on`);
  const person = await personOf(bridge, team, user);
  const asked = { team, channel, person, words: await wordsOfCommand(bridge, team, words), escaped: words };
  const { text, refused } = await work.onTicket(
    bridge,
    { ...asked, attempt: ctx, typedAt: writtenAt(message.ts), key: eventKey.message(message) },
    ticket,
  );
  return ctx.finish(`${COMMAND}: ${name}${refused ? ', refused' : ''}`, (tx) =>
    planPosts(tx, bridge, { ...locationOf(conversation), channel }, [
      { kind: 'ephemeral', user, text, thread: message.root },
    ]),
  );
}

/** A button under an answer: another page of it, or the answer for the whole channel (B34). */
export async function pressAnswer(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  const outcome = `button ${action.actionId}`;
  const answer = await pressedAnswer(bridge, action);
  if (answer && 'tickets' in answer)
    return ctx.finish(outcome, (tx) => planShared(tx, bridge, action, answer));
  if (answer) ctx.afterwards(() => respond(bridge, action.responseUrl, answer));
  return ctx.finish(outcome);
}

async function pressedAnswer(
  bridge: Bridge,
  { team, channel, user, actionId, value }: ChatAction,
): Promise<Shared | Answer | undefined> {
  const person = await personOf(bridge, team, user);
  if (actionId === ACTIONS.moreResults) {
    const next = readPage(value);
    if (!next) return undefined;
    return { ...(await listTickets(bridge, person, next)), replaces: true };
  }
  if (actionId === ACTIONS.shareResults) {
    const page = readPage(value);
    return page && sharedList(bridge, person, page);
  }
  if (actionId === ACTIONS.ownChannels) return turnOnOwnChannels(bridge, person, value);
  if (actionId === ACTIONS.moreObserved)
    return { ...(await observedPage(bridge, { team, channel }, value)), replaces: true };
  const found = await findTicket(bridge, value, channel, person);
  if ('refusal' in found) return { text: found.refusal };
  // A ticket that not everyone may read is not shown to a whole channel (B35).
  if (found.ticket.private) return { text: 'This ticket is private: it cannot be shared in a channel.' };
  if (!(await bridge.channels.isForEveryone(found.ticket)))
    return { text: 'Not everyone may read the tickets of this queue: it cannot be shared in a channel.' };
  return { ...cardOf(await readCardFacts(bridge, found.ticket)), tickets: [found.ticket.id] };
}
