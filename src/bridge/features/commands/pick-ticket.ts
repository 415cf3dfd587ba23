import { incompleteText } from './answers.ts';
import { pickBlocks } from '../../blocks/results.ts';
import type { Bridge } from '../../bridge.ts';
import { respond } from '../../slack/respond.ts';
import { parseCommand } from './command-rules.ts';
import type { CommandName } from './table-rules.ts';
import { type ChatCommand, type EventOf, parseChatEvent } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { askedBy } from './asked-by.ts';
import { type Asked, refuse, type Said } from './asked.ts';
import { queueHere } from './queue-here.ts';
import { WORK } from './work.ts';
import { findTicket } from '../../tickets/find-ticket.ts';
import { recentTickets } from './list-tickets.ts';

/** Tickets in the menu. */
const OFFERED = 10;

/**
 * Answers a command without a ticket with a menu of the user's recent ones in this channel's queue (B32); the command
 * stays in the stored event, which the choice refers to.
 */
export async function offerTickets(
  bridge: Bridge,
  { person, channel }: Asked,
  name: CommandName,
  inboxId: string,
): Promise<Said> {
  const home = await queueHere(bridge, channel);
  const linked = home?.linked ? home.queueId : undefined;
  const tickets = await recentTickets(bridge, person, {
    queueId: linked,
    ended: name === 'reopen' ? true : name === 'show' ? undefined : false,
    limit: OFFERED,
  });
  if (tickets.length === 0) return refuse(incompleteText(bridge.command, name, 'which ticket'));
  return pickBlocks(`\`${bridge.command} ${name}\`: of which ticket?`, tickets, blockOf(inboxId));
}

/** A ticket was chosen: runs the command with it. */
export async function pickTicket(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const { blockId, user, value, responseUrl } = turn.event.action;
  const typed = await commandOf(bridge, blockId);
  const parsed = typed?.command.user === user ? parseCommand(typed.command.text) : undefined;
  const name = parsed && 'words' in parsed && parsed.do !== 'new' ? parsed.do : undefined;
  const work = name && WORK[name];
  await answerInTime(
    bridge,
    turn,
    (answer) => respond(bridge, responseUrl, { ...answer, replaces: true }),
    { changes: work?.changes ?? false, outcome: `B32 ${name ?? 'nothing'} of a chosen ticket` },
    async () => {
      if (!typed || !parsed || !('words' in parsed) || !work || !('onTicket' in work))
        return refuse('I have forgotten what you typed. Please type it again.');
      const { command, typedAt } = typed;
      const asked = await askedBy(bridge, command, parsed, turn, typedAt);
      const found = await findTicket(bridge, value, command.channel, asked.person);
      return 'refusal' in found ? refuse(found.refusal) : work.onTicket(bridge, asked, found.ticket);
    },
  );
}

const blockOf = (inboxId: string) => `pick ${inboxId}`;

async function commandOf(
  { database }: Bridge,
  blockId: string,
): Promise<{ command: ChatCommand; typedAt: Date } | undefined> {
  const row = await database.db
    .selectFrom('inbox')
    .select(['body', 'received_at'])
    .where('id', '=', /^pick (.+)$/.exec(blockId)?.[1] ?? '')
    .executeTakeFirst();
  const event = row && parseChatEvent(row.body);
  return row && event?.kind === 'command' ? { command: event.command, typedAt: row.received_at } : undefined;
}
