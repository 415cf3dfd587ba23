import type { Answer } from '../../client/index.ts';
import { type Tx, transaction } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/lanes/index.ts';
import type { Bridge } from '../bridge.ts';
import { type OutboxBody, plan } from '../chat/outbox.ts';
import { decideMirror } from '../decide/mirror.ts';
import { CONVERSATION_QUEUE } from '../intake/store.ts';
import type { Turn } from '../intake/turn.ts';
import { type Conversation, conversationOfThread, findByTicket, placeOf } from '../links/conversations.ts';
import { linkMessage, linksOfTicketMessage } from '../links/messages.ts';
import { chatUsersOf } from '../links/people.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { markdownToChat, mentionedIn } from '../text/to-chat.ts';

type TicketMessage = Answer<'listTicketMessages'>['items'][number];

/** A hint of the service that something of a ticket changed; the record is the truth. */
export interface TicketHint {
  ticketId: string;
}

/**
 * Brings a thread up to the service's record: every message that changed since the last time, in the order in which
 * it changed, and the card. So neither the order nor the number of the service's events matters.
 */
export async function mirrorTicket(bridge: Bridge, turn: Turn<TicketHint>): Promise<void> {
  const { ticketId } = turn.event;
  const conversation =
    (await findByTicket(bridge.database.db, ticketId)) ?? (await conversationOfRecord(bridge, ticketId));
  if (!conversation) return turn.finish('no thread: the ticket was made outside chat');
  if (turn.conversationId !== conversation.id)
    return turn.finish('moved to the lane of its conversation', (tx) =>
      enqueue(tx, [{ queue: CONVERSATION_QUEUE, key: conversation.id, payload: { mirror: ticketId } }]),
    );
  const changes = await changedMessages(bridge, { ...conversation, ticket_id: ticketId });
  await turn.finish(`mirrored ${changes.planned} of ${changes.seen} changed messages`, async (tx) => {
    if (conversation.ticket_id === null) await adoptTicket(tx, conversation, ticketId);
    await changes.record(tx);
  });
}

/**
 * The conversation of a ticket that is not linked here, by the thread that its record names: its opening stopped
 * half-way, or somebody else opened it for a message of chat. A triage thread is no place for the requester's talk.
 */
async function conversationOfRecord(bridge: Bridge, ticketId: string): Promise<Conversation | undefined> {
  const { chatThreads } = await bridge.service.readTicket({ params: { id: ticketId } });
  const thread = chatThreads.find(({ type }) => type !== 'TRIAGE');
  if (!thread) return undefined;
  const place = { team: bridge.bot.team, channel: thread.channelId, root: thread.messageTs };
  const conversation = await transaction(bridge.database.db, (tx) => conversationOfThread(tx, place, bridge));
  // A thread that has another ticket keeps it (B2).
  return conversation.ticket_id === null ? conversation : undefined;
}

async function adoptTicket(
  tx: Tx<BridgeTables>,
  conversation: Conversation,
  ticketId: string,
): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ ticket_id: ticketId, description_ts: conversation.root_ts, asked_user_id: null })
    .where('id', '=', conversation.id)
    .execute();
}

interface Changes {
  seen: number;
  planned: number;
  record(tx: Tx<BridgeTables>): Promise<void>;
}

/** What the service changed since the conversation's cursor, turned into rows. */
export async function changedMessages(bridge: Bridge, conversation: Conversation): Promise<Changes> {
  const messages: TicketMessage[] = [];
  const query = {
    ticketId: conversation.ticket_id,
    sortBy: 'updatedAt' as const,
    sortDirection: 'asc' as const,
    updatedFrom: conversation.applied_until?.toISOString() ?? null,
  };
  for await (const message of bridge.service.all('listTicketMessages', { query })) messages.push(message);
  // A service that does not know the order or the filter still gives the messages: the cursor is then only a saving.
  messages.sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0));
  const writes: ((tx: Tx<BridgeTables>) => Promise<void>)[] = [];
  for (const message of messages) {
    const write = await mirrorMessage(bridge, conversation, message);
    if (write) writes.push(write);
  }
  const last = messages.at(-1)?.updatedAt;
  return {
    seen: messages.length,
    planned: writes.length,
    record: async (tx) => {
      for (const write of writes) await write(tx);
      if (last)
        await tx
          .updateTable('conversation')
          .set({ applied_until: last })
          .where('id', '=', conversation.id)
          .execute();
      await plan(tx, bridge, placeOf(conversation), [{ kind: 'card' }]);
    },
  };
}

async function mirrorMessage(
  bridge: Bridge,
  conversation: Conversation,
  message: TicketMessage,
): Promise<((tx: Tx<BridgeTables>) => Promise<void>) | undefined> {
  const links = await linksOfTicketMessage(bridge.database.db, conversation.id, message.id);
  const copy = message.chatMessages.find((one) => one.channelId === conversation.channel_id);
  const decision = decideMirror({
    deleted: message.deleted,
    private: message.private,
    links,
    namedCopy: copy !== undefined && message.source === 'CHAT',
    version: message.updatedAt,
  });
  const place = placeOf(conversation);
  switch (decision.do) {
    case 'ignore':
      return undefined;
    case 'adopt':
      return (tx) =>
        linkMessage(tx, {
          ...newLink(bridge, conversation, message, 0),
          ts: copy?.ts ?? null,
          origin: 'chat',
          version: copy?.ts ?? '',
        });
    case 'delete':
      return async (tx) => {
        await plan(
          tx,
          bridge,
          place,
          links.filter((link) => !link.deleted).map((link) => ({ kind: 'delete', link: link.id })),
        );
        await tx
          .updateTable('message_link')
          .set({ deleted: true, version: message.updatedAt })
          .where(
            'id',
            'in',
            links.map((link) => link.id),
          )
          .execute();
      };
    case 'post': {
      const parts = await partsOf(bridge, message);
      const author = authorOf(message);
      return async (tx) => {
        for (const [part, { text, blocks }] of parts.entries()) {
          const link = newLink(bridge, conversation, message, part);
          await linkMessage(tx, link);
          await plan(tx, bridge, place, [
            { kind: 'post', link: link.id, text, blocks, thread: conversation.root_ts, as: author },
          ]);
        }
      };
    }
    case 'edit': {
      const parts = await partsOf(bridge, message);
      const bodies = links.map((link, at): OutboxBody => {
        const part = parts[at];
        if (!part) return { kind: 'delete', link: link.id };
        // Chat cannot add a message into the middle of a thread: what does not fit any more ends with a hint.
        const cut = at === links.length - 1 && parts.length > links.length;
        return {
          kind: 'edit',
          link: link.id,
          text: part.text,
          blocks: cut ? [...part.blocks, MORE_ON_THE_TICKET] : part.blocks,
        };
      });
      return async (tx) => {
        await plan(tx, bridge, place, bodies);
        for (const [at, link] of links.entries())
          await tx
            .updateTable('message_link')
            .set({ version: message.updatedAt, deleted: parts[at] === undefined })
            .where('id', '=', link.id)
            .execute();
      };
    }
  }
}

const MORE_ON_THE_TICKET = {
  type: 'context',
  elements: [
    {
      type: 'plain_text',
      text: 'This message grew longer than chat can show here; the ticket has all of it.',
    },
  ],
};

function newLink(bridge: Bridge, conversation: Conversation, message: TicketMessage, part: number) {
  return {
    id: bridge.newId('lnk'),
    conversation_id: conversation.id,
    ticket_message_id: message.id,
    part,
    team_id: conversation.team_id,
    channel_id: conversation.channel_id,
    ts: null,
    origin: 'service' as const,
    version: message.updatedAt,
  };
}

async function partsOf(bridge: Bridge, message: TicketMessage) {
  const chatUsers = await chatUsersOf(bridge, mentionedIn(message.content));
  return markdownToChat(message.content, (userId) => chatUsers.get(userId));
}

/** The author's name and, where chat could fetch it, picture (B13). */
function authorOf({
  author,
}: TicketMessage): { name: string; iconUrl?: string; iconEmoji?: string } | undefined {
  if (!author) return undefined;
  const name = [author.firstName, author.lastName].filter(Boolean).join(' ') || author.email;
  if (!name) return undefined;
  return {
    name,
    ...(isPublicHttps(author.image) ? { iconUrl: author.image } : { iconEmoji: ':speech_balloon:' }),
  };
}

function isPublicHttps(image: string | null): image is string {
  const url = image === null ? null : URL.parse(image);
  return url?.protocol === 'https:' && url.hostname.includes('.') && !/^[\d.]+$|:/.test(url.hostname);
}
