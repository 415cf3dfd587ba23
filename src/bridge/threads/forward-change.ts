import type { Bridge } from '../bridge.ts';
import { decideCloseUnanswered, titleFromText } from '../tickets/rules.ts';
import { type EventOf, type ChatMessage, parseListedMessage } from '../slack/chat-event.ts';
import type { EventContext } from '../inbox/event-context.ts';
import { type Conversation, conversationOf, unbindCopy } from '../store/conversations.ts';
import { workspaceOfTicket } from '../tickets/catalogue.ts';
import { checkWritten } from '../inbox/store.ts';
import { isOwnNote } from '../../contract/index.ts';
import { addNote, messageWriter } from '../tickets/create-once.ts';
import { readTicket } from '../tickets/find-ticket.ts';
import { setGroup, updateTicket } from '../tickets/update-ticket.ts';
import { messagesOf } from '../tickets/ticket-messages.ts';
import { AnsweredError } from '../../client/index.ts';
import { COMMAND, isOurs } from './rules.ts';
import { compareEdits, editPlace, eventKey } from '../slack/ids.ts';
import { findLink, linkMessage } from '../store/links.ts';
import { appendMessage, inboundLink, linkWritten, removeFromTicket } from './append-message.ts';
import { messageText, signed, messageAuthor, takesPart } from './message-text.ts';
import { descriptionOf } from './open-ticket.ts';
import type { BridgeTx, Done } from '../work.ts';

/**
 * The parent of a ticket's thread was deleted: without a reply by anyone else the ticket is closed (B59), else it stays
 * (B58).
 * @param also written with it.
 */
async function closeUnanswered(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message-deleted'>>,
  { ticket_id }: Conversation,
  also?: (tx: BridgeTx) => Promise<void>,
): Promise<Done> {
  const ticket = await readTicket(bridge, ticket_id ?? '');
  if (!ticket) return ctx.finish('the ticket is gone, or not for this key to see');
  const answers: { author: string | null; deleted: boolean }[] = [];
  for await (const message of messagesOf(bridge, ticket.id, { workspaceId: workspaceOfTicket(ticket) }))
    if (!isOwnNote(message)) answers.push({ author: message.authorId, deleted: message.deleted });
  const group = ticket.status.statusGroup.label;
  if (!decideCloseUnanswered({ group, requester: ticket.requesterId, answers }))
    return ctx.finish('first message deleted: the ticket stays', also);
  await addNote(
    bridge,
    ctx,
    ticket.id,
    `closed ${ctx.event.key}`,
    'Its first message was deleted in Slack before anyone replied, so the ticket was closed.',
  );
  await setGroup(bridge, ticket, 'Closed', null);
  return ctx.finish('first message deleted before a reply: closed', also);
}

/** Forwards a user's edit to the ticket message or the description (B6, B12). */
export async function forwardEdit(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message-edited'>>,
): Promise<Done> {
  const { editTs } = ctx.event;
  let { message } = ctx.event;
  const conversation = await conversationOf(bridge.database.db, ctx);
  if (isOurs(message, bridge.bot)) return ctx.finish('own post');
  if (!(await takesPart(bridge, message))) return ctx.finish('message of another app');
  if (!conversation.ticket_id) return ctx.finish('no ticket in this thread');
  const described = message.ts === conversation.description_ts;
  const known = described ? undefined : await findLink(bridge.database.db, message);
  const shown = described ? conversation.description_edit_ts : known?.version;
  // Two edits within one second: only Slack knows which is newer.
  if (compareEdits(editTs, shown) === 0) message = (await currentMessage(bridge, message)) ?? message;
  const { markdown, words } = await messageText(bridge, message);
  if (described) return editDescription(bridge, ctx, conversation, message, words);
  if (!known && (await wasCommand(bridge, message))) return ctx.finish('edit of a command');
  // Slack may report the deletion first: an edit that comes late does not bring the message back.
  if (!known && ctx.state?.isDeleted) return ctx.finish('deleted before it was on the ticket');
  const link = known ?? (await linkWritten(bridge, conversation, message));
  if (!link)
    return appendMessage(bridge, ctx, conversation, message, 'edit of a message that was missed', {
      editTs,
    });
  if (compareEdits(editTs, link.version) < 0) return ctx.finish('older edit');
  const author = await messageAuthor(bridge, message);
  const content = signed(author, markdown);
  let followUp: ReturnType<typeof inboundLink> | undefined;
  // Of a merged ticket, the message is on the one that it was merged into.
  let ticketId = conversation.ticket_id;
  try {
    ({ ticketId } = await bridge.service.updateTicketMessage({
      params: { id: link.ticket_message_id },
      // Only its author edits a message in Slack.
      body: { content, actorId: author.user_id },
    }));
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    // Deleted at the desk meanwhile: nothing to edit.
    if (error.status === 409) return ctx.finish('its ticket message is gone');
    if (!error.missing) throw error;
    // A service without the operation gets the edit as a separate message, once per edit.
    const ts = editPlace(message.ts, editTs, content);
    const write = messageWriter(bridge, ctx, conversation.ticket_id);
    const { id } = await write({
      content: `edited: ${content}`,
      source: 'CHAT',
      chatChannelId: message.channel,
      chatTimestamp: ts,
      ...(conversation.role === 'triage' ? { private: true } : {}),
      ...(author.user_id ? { authorId: author.user_id } : {}),
    });
    followUp = { ...inboundLink(bridge, conversation, message, id), ts, version: editTs ?? null };
  }
  await checkWritten(bridge, ticketId, conversation.id);
  return ctx.finish('edit', async (tx) => {
    await tx
      .updateTable('message_link')
      .set({ version: editTs ?? null })
      .where('id', '=', link.id)
      .execute();
    await bridge.hooks.messageForwarded(tx, ticketId);
    const { user_id: authorId } = author;
    const { files } = message;
    if (files.length > 0)
      await bridge.hooks.filesForwarded(tx, {
        conversation,
        ticketId,
        messageId: link.ticket_message_id,
        authorId,
        files,
      });
    if (followUp) await linkMessage(tx, followUp);
  });
}

/** Returns a message as it is now in Slack; undefined if it is gone. Throws ChatError. */
async function currentMessage(
  { chat }: Bridge,
  { team, channel, root, ts }: ChatMessage,
): Promise<ChatMessage | undefined> {
  for await (const raw of chat.thread(channel, root, { oldest: ts, latest: ts })) {
    const message = parseListedMessage(team, channel, raw);
    if (message?.ts === ts) return message;
  }
  return undefined;
}

async function editDescription(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message-edited'>>,
  conversation: Conversation,
  message: ChatMessage,
  words: string,
): Promise<Done> {
  const { editTs } = ctx.event;
  if (compareEdits(editTs, conversation.description_edit_ts) < 0)
    return ctx.finish('older edit of the description');
  const id = conversation.ticket_id ?? '';
  const ticket = await bridge.service.readTicket({ params: { id } });
  const description = await descriptionOf(bridge, message);
  const title = titleFromText(words);
  // Its own: as recorded, or as set just before a failure prevented recording it.
  const isOwnTitle = ticket.title === conversation.title || ticket.title === title;
  const retitle = title !== '' && isOwnTitle;
  await updateTicket(bridge, null, id, { description, ...(retitle ? { title } : {}) });
  return ctx.finish('edit of the description', async (tx) => {
    await tx
      .updateTable('conversation')
      .set({ description_edit_ts: editTs ?? null, ...(retitle ? { title } : {}) })
      .where('id', '=', conversation.id)
      .execute();
    const { requesterId: authorId } = ticket;
    const { files } = message;
    if (files.length > 0)
      await bridge.hooks.filesForwarded(tx, { conversation, ticketId: id, messageId: null, authorId, files });
  });
}

/** Deletes a deleted reply's message on the ticket, leaving a tombstone (B12). */
export async function forwardDeletion(
  bridge: Bridge,
  ctx: EventContext<EventOf<'message-deleted'>>,
): Promise<Done> {
  const conversation = await conversationOf(bridge.database.db, ctx);
  const { ts, channel } = ctx.event.place;
  // A private ticket was moved elsewhere: its original message stays where it was (B8, B11).
  const first = channel === conversation.channel_id ? conversation.thread_ts : conversation.description_ts;
  const known = await findLink(bridge.database.db, ctx.event.place);
  if (conversation.ticket_id && ts === first)
    return conversation.role === 'request'
      ? closeUnanswered(
          bridge,
          ctx,
          conversation,
          known && (await removeFromTicket(bridge, conversation, known)),
        )
      : ctx.finish('copy of the card deleted', (tx) => unbindCopy(tx, conversation.id));
  const link = known ?? (await linkWritten(bridge, conversation, ctx.event.place));
  if (!link) return ctx.finish('not a message of a ticket');
  if (link.origin === 'service')
    return ctx.finish('own post deleted', async (tx) => {
      await tx.updateTable('message_link').set({ deleted: true }).where('id', '=', link.id).execute();
    });
  const taken = await removeFromTicket(bridge, conversation, link);
  return ctx.finish('deletion', taken);
}

/** Returns whether a message was handled as a command (B32): its later edits do not change the ticket. */
async function wasCommand({ database }: Bridge, message: ChatMessage): Promise<boolean> {
  const row = await database.db
    .selectFrom('inbox')
    .select('outcome')
    .where('source', '=', 'chat')
    .where('event_key', '=', eventKey.message(message))
    .executeTakeFirst();
  return row?.outcome?.startsWith(COMMAND) ?? false;
}
