import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { type OutboxBody, plan } from '../chat/outbox.ts';
import { decideReopen } from '../decide/status.ts';
import type { ChatEvent, ChatMessage } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { type Conversation, placeOf } from '../links/conversations.ts';
import type { ChatPlace } from '../links/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { linkSaid, type SaidLink } from './carry-earlier.ts';
import { confirmReceipt, wantsReceipts } from './confirm-receipt.ts';
import { messageWriter, type WriteMessage, type Written } from './create-once.ts';
import { readTicket } from './find-ticket.ts';
import { followMentioned } from './follow-mentioned.ts';
import { mentionedBy, textOf } from './message-text.ts';
import { setGroup } from './set-group.ts';
import { signed, speakerOf } from './speaker.ts';
import { lookSoon } from './tell-people.ts';

/** Chat's edit timestamps have whole seconds: the first edit's may be smaller than the message's own timestamp. */
const NOT_EDITED = '0';

/** Puts a reply on the conversation's ticket, records that the two are one, and plans what the bot says to it. */
export async function appendMessage(
  bridge: Bridge,
  turn: Turn<ChatEvent>,
  conversation: Conversation,
  message: ChatMessage,
  why: string,
  { version = NOT_EDITED, say = [] }: { version?: string; say?: readonly OutboxBody[] } = {},
): Promise<void> {
  const ticketId = conversation.ticket_id ?? '';
  const isNote = conversation.role === 'triage';
  const stored = await postMessage(bridge, messageWriter(bridge, turn, ticketId), message, isNote);
  // Forwarded before the bridge lost its tables: what follows from it was done then.
  const wasThere = !stored.isNew;
  if (!isNote) await followMentioned(bridge, message.team, ticketId, mentionedBy(message));
  const reopened = !isNote && !wasThere && (await reopenFor(bridge, ticketId, stored.authorId));
  const marked = !wasThere && (await wantsReceipts(bridge, message.channel));
  const outcome = isNote ? 'B15 an internal note' : why;
  await turn.finish(reopened ? `${outcome}; B22 opened again` : outcome, async (tx) => {
    await linkSaid(tx, { ...linkOf(bridge, conversation, message, stored.id), version });
    await noteActive(tx, bridge, conversation);
    if (reopened) await setReopened(tx, ticketId);
    if (wasThere) return;
    await lookSoon(tx, bridge, ticketId);
    await plan(tx, bridge, placeOf(conversation), say);
    if (marked) await confirmReceipt(tx, bridge, message);
    if (isNote) await tellFirstNote(tx, bridge, conversation, message.user ?? '');
  });
}

/** How exactly it is known when a conversation was last active. */
const ACTIVE_MS = 60_000;

/** A thread in which people talk is compared with its ticket sooner (B50). */
async function noteActive(
  tx: Tx<BridgeTables>,
  { clock }: Pick<Bridge, 'clock'>,
  { id, active_at }: Conversation,
): Promise<void> {
  const now = clock.now();
  if (now.getTime() - active_at.getTime() < ACTIVE_MS) return;
  await tx.updateTable('conversation').set({ active_at: now }).where('id', '=', id).execute();
}

/** Its card says so, until somebody works on it (B22). */
async function setReopened(tx: Tx<BridgeTables>, ticketId: string): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ reopened: true })
    .where('ticket_id', '=', ticketId)
    .where('role', '=', 'request')
    .execute();
}

/** Whoever writes here for the first time is told who reads it, once (B15). */
async function tellFirstNote(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  user: string,
): Promise<void> {
  const told = await tx
    .insertInto('told_note')
    .values({ conversation_id: conversation.id, chat_user_id: user })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (told.numInsertedOrUpdatedRows === 0n) return;
  const text =
    'Only the team reads this thread: your message is an internal note on the ticket. *Reply to requester* on the card, or *Send to requester* in the menu of a note, answers the person who asked.';
  await plan(tx, bridge, placeOf(conversation), [
    { kind: 'whisper', user, text, thread: conversation.root_ts },
  ]);
}

/** Opens a ticket that was done when its requester goes on writing (B22); the card follows the record. */
async function reopenFor(bridge: Bridge, ticketId: string, authorId: string | null): Promise<boolean> {
  if (authorId === null) return false;
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return false;
  const fromRequester = authorId === ticket.requesterId;
  if (!decideReopen({ group: ticket.status.statusGroup.label, fromRequester })) return false;
  await setGroup(bridge, ticket, 'Open', authorId);
  return true;
}

/** Puts a chat message on its ticket, once however often it is done (B12). */
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

/** The link of a message that a person wrote in chat. */
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
