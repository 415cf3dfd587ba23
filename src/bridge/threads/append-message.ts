import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { type CorePost, plan } from '../outbox/outbox.ts';
import { decideReply, hasEnded } from '../tickets/status-rules.ts';
import { isOnlyThanks } from '../tickets/thanks-rules.ts';
import type { ChatEvent, ChatMessage } from '../slack/chat-event.ts';
import type { Turn } from '../inbox/turn.ts';
import { type Conversation, placeOf } from './conversations.ts';
import type { ChatPlace } from '../slack/ids.ts';
import { ownSetting } from '../tickets/own-settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { linkSaid, type SaidLink } from './messages.ts';
import { messageWriter, type WriteMessage, type Written } from '../tickets/create-once.ts';
import { readTicket, type Ticket } from '../tickets/find-ticket.ts';
import { followUp } from './follow-up.ts';
import { followMentioned } from './follow-mentioned.ts';
import { mentionedBy, textOf } from './message-text.ts';
import { setGroup } from '../tickets/set-group.ts';
import { signed, speakerOf } from './speaker.ts';
import { namesOf } from '../tickets/ticket-facts.ts';

/** Slack's edit timestamps have whole seconds: the first edit's may be smaller than the message's own timestamp. */
const NOT_EDITED = '0';

/** Forwards a reply to the conversation's ticket, links the two, and plans the bot's messages about it. */
export async function appendMessage(
  bridge: Bridge,
  turn: Turn<ChatEvent>,
  conversation: Conversation,
  message: ChatMessage,
  why: string,
  { version = NOT_EDITED, say = [] }: { version?: string; say?: readonly CorePost[] } = {},
): Promise<void> {
  const ticketId = conversation.ticket_id ?? '';
  const isNote = conversation.role === 'triage';
  const stored = await postMessage(bridge, messageWriter(bridge, turn, ticketId), message, isNote);
  // Forwarded before the bridge lost its tables: its effects happened then.
  const wasThere = !stored.isNew;
  if (!isNote) await followMentioned(bridge, message.team, ticketId, mentionedBy(message));
  const ended = isNote || wasThere ? undefined : await endedBy(bridge, ticketId, message, stored.authorId);
  const reopened = ended?.do === 'reopen';
  const further =
    ended?.do === 'follow-up' ? await followUp(bridge, conversation, ended.ticket, message) : [];
  if (reopened) await setGroup(bridge, ended.ticket, 'Open', stored.authorId);
  const outcome = isNote ? 'B15 an internal note' : why;
  const more = reopened
    ? '; B22 opened again'
    : further.length > 0
      ? '; B22 a new ticket follows up on it'
      : '';
  await turn.finish(`${outcome}${more}`, async (tx) => {
    await linkSaid(tx, bridge, { ...linkOf(bridge, conversation, message, stored.id), version });
    await noteActive(tx, bridge, conversation);
    if (reopened) await setReopened(tx, ticketId);
    if (wasThere) return;
    await bridge.hooks.ticketHeard(tx, ticketId);
    await plan(tx, bridge, placeOf(conversation), say);
    const { team_id: team, channel_id: channel } = conversation;
    await plan(tx, bridge, { conversationId: null, team, channel }, further);
    if (isNote) await tellFirstNote(tx, bridge, conversation, message.user ?? '');
  });
}

/** Precision of a conversation's last activity. */
const ACTIVE_MS = 60_000;

/** Records activity: an active thread is reconciled sooner (B50). */
async function noteActive(
  tx: Tx<BridgeTables>,
  { clock }: Pick<Bridge, 'clock'>,
  { id, active_at }: Conversation,
): Promise<void> {
  const now = clock.now();
  if (now.getTime() - active_at.getTime() < ACTIVE_MS) return;
  await tx.updateTable('conversation').set({ active_at: now }).where('id', '=', id).execute();
}

/** Marks the ticket as reopened on its card until an agent works on it (B22). */
async function setReopened(tx: Tx<BridgeTables>, ticketId: string): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ reopened: true })
    .where('ticket_id', '=', ticketId)
    .where('role', '=', 'request')
    .execute();
}

/** Tells an agent who writes here for the first time who can read it, once (B15). */
async function tellFirstNote(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  user: string,
): Promise<void> {
  const told = await tx
    .insertInto('note_hint')
    .values({ conversation_id: conversation.id, chat_user_id: user })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (told.numInsertedOrUpdatedRows === 0n) return;
  const text =
    'Only the team reads this thread: your message is an internal note on the ticket. *Reply to requester* on the card, or *Send to requester* in the menu of a note, answers the person who asked.';
  await plan(tx, bridge, placeOf(conversation), [
    { kind: 'whisper', user, text, thread: conversation.thread_ts },
  ]);
}

/** Returns the effect of a reply on a ticket that is done (B22), by the settings of its queue; usually undefined. */
async function endedBy(
  bridge: Bridge,
  ticketId: string,
  message: ChatMessage,
  authorId: string | null,
): Promise<{ do: 'reopen' | 'follow-up'; ticket: Ticket } | undefined> {
  if (authorId === null) return undefined;
  const ticket = await readTicket(bridge, ticketId);
  const group = ticket?.status.statusGroup.label ?? '';
  if (!ticket || !hasEnded(group) || authorId !== ticket.requesterId) return undefined;
  const queueId = ticket.queueId ?? undefined;
  const endedAt = ticket.closedAt ?? ticket.resolvedAt;
  const decision = decideReply({
    group,
    fromRequester: true,
    onlyThanks:
      message.files.length === 0 &&
      !(await ownSetting(bridge, 'reopen-on-thanks', queueId)) &&
      isOnlyThanks(message.text, await agentNames(bridge, ticket)),
    saidAt: new Date(Number(message.ts) * 1000),
    endedAt: endedAt === null ? null : new Date(endedAt),
    days: Number(await ownSetting(bridge, 'reopen-days', queueId)),
  });
  return decision === 'stay' ? undefined : { do: decision, ticket };
}

async function agentNames(bridge: Bridge, { assigneeId }: Ticket): Promise<string[]> {
  const name = (await namesOf(bridge, [assigneeId]))(assigneeId);
  return name === undefined ? [] : [name];
}

/** Adds a chat message to its ticket; idempotent (B12). */
export async function postMessage(
  bridge: Bridge,
  write: WriteMessage,
  message: ChatMessage,
  isNote = false,
): Promise<Written> {
  const author = await speakerOf(bridge, message);
  const { markdown } = await textOf(bridge, message);
  return write({
    content: signed(author, markdown),
    source: 'CHAT',
    chatChannelId: message.channel,
    chatTimestamp: message.ts,
    ...(isNote ? { private: true } : {}),
    ...(author.user_id ? { authorId: author.user_id } : {}),
  });
}

/** Returns the link of a message written in chat. */
export function linkOf(
  { newId }: Pick<Bridge, 'newId'>,
  conversation: Conversation,
  message: ChatPlace,
  ticketMessageId: string,
): SaidLink {
  return {
    id: newId('lnk'),
    conversation_id: conversation.id,
    ticket_message_id: ticketMessageId,
    team_id: message.team,
    channel_id: message.channel,
    ts: message.ts,
    origin: 'chat',
    version: NOT_EDITED,
  };
}
