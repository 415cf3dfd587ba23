import type { Root } from 'mdast';

import { parseMarkdown } from '../../platform/text/markdown.ts';
import type { TeamThread } from '../../contract/index.ts';
import type { Bridge } from '../bridge.ts';
import { type CorePost, planPosts } from '../store/posts.ts';
import { decideMirror, isShownIn } from './rules.ts';
import { type Conversation, locationOf } from '../store/conversations.ts';
import { attachmentsOf, attachmentDigest } from '../store/attachments.ts';
import { copiesIn, linkMessage, linkToPost, type MessageLink, wasWrittenIn } from '../store/links.ts';
import { chatUsersOf } from '../people/people.ts';
import { mentionedIn } from '../../platform/text/mentions.ts';
import { context } from '../blocks/kit.ts';
import { markdownToChat } from '../text/to-chat.ts';
import { authorIdentity } from './message-text.ts';
import { workspaceOfTicket } from '../tickets/catalogue.ts';
import type { Ticket } from '../tickets/find-ticket.ts';
import type { TicketMessage } from '../tickets/ticket-messages.ts';
import { permalinkOf } from '../slack/ids.ts';
import type { BridgeTx, Write } from '../work.ts';

/** A conversation of a ticket, and what decides which of the ticket's messages it shows. */
export interface Place {
  conversation: Conversation;
  requesterId: string | null;
  /** Which messages the team's threads in its channel show. */
  teamThread: TeamThread;
}

export async function mirrorPlace(
  bridge: Bridge,
  conversation: Conversation,
  ticket: Ticket,
): Promise<Place> {
  const { role, channel_id: channel } = conversation;
  const teamThread =
    role === 'triage' ? await bridge.channels.teamThreadIn(channel, workspaceOfTicket(ticket)) : 'notes';
  return { conversation, requesterId: ticket.requesterId, teamThread };
}

/** Returns whether a place shows a ticket message that is not deleted. */
export function isShown({ conversation: { role }, requesterId, teamThread }: Place, message: TicketMessage) {
  const { private: isPrivate, authorId } = message;
  const fromRequester = authorId !== null && authorId === requesterId;
  return isShownIn({ role, teamThread }, { private: isPrivate, fromRequester });
}

/** Returns the copies in a place that a ticket message's own record lists, and that have no link. */
function unlinkedCopies({ conversation }: Place, message: TicketMessage, links: readonly MessageLink[]) {
  return copiesIn(conversation, message).filter((copy) => !links.some(({ ts }) => ts === copy));
}

/** Decides how a place shows a ticket message; `links` are those of the message in its conversation. */
function decisionOn(place: Place, message: TicketMessage, links: readonly MessageLink[]) {
  return decideMirror({
    deleted: message.deleted,
    private: message.private,
    shown: isShown(place, message),
    links,
    namedCopy: unlinkedCopies(place, message, links).length > 0,
    version: message.updatedAt,
    digest: attachmentDigest(place.conversation, message),
  });
}

/** Returns whether a place shows all that it has to of a ticket message. */
export function isMirrored(place: Place, message: TicketMessage, links: readonly MessageLink[]): boolean {
  return decisionOn(place, message, links).do === 'ignore';
}

/** The writes for a changed ticket message. */
export interface MessageChange {
  isNew: boolean;
  write: Write;
}

/** Returns what Slack should show of a changed ticket message; undefined if that is unchanged. */
export async function mirrorMessage(
  bridge: Bridge,
  showing: Place,
  message: TicketMessage,
  links: readonly MessageLink[],
): Promise<MessageChange | undefined> {
  const { conversation } = showing;
  /** The parts that still exist in chat. */
  const shown = links.filter((link) => !link.deleted);
  const copies = unlinkedCopies(showing, message, links);
  const digest = attachmentDigest(conversation, message);
  const fromChat = message.source === 'CHAT';
  const decision = decisionOn(showing, message, links);
  const place = locationOf(conversation);
  // Numbers of former parts, which are deleted, stay theirs.
  const free = Math.max(-1, ...links.filter(({ kind }) => kind === 'text').map(({ part }) => part)) + 1;
  const files = links.filter(({ kind }) => kind === 'file');
  switch (decision.do) {
    case 'ignore':
      return undefined;
    case 'adopt':
      return {
        isNew: false,
        write: async (tx) => {
          const written = wasWrittenIn(conversation, message)
            ? { origin: 'chat' as const, version: null }
            : {};
          for (const [part, ts] of copies.entries()) {
            await linkMessage(tx, {
              ...linkToPost(bridge, conversation, message, { kind: 'text', part }),
              ts,
              ...written,
              deleted: message.deleted,
            });
            await bridge.hooks.messageLinked(tx, conversation.id, {
              team: place.team,
              channel: place.channel,
              ts,
            });
          }
        },
      };
    case 'delete':
      return {
        isNew: false,
        write: async (tx) => {
          await planPosts(
            tx,
            bridge,
            place,
            shown.map(({ id }) => ({ kind: 'delete', link: id })),
          );
          // What is no longer shown here comes back if it may be shown again (`isTakenBack`).
          const version = message.deleted ? message.updatedAt : null;
          for (const { id } of links) await setLink(tx, id, { deleted: true, version, digest });
        },
      };
    case 'post': {
      const text = parseMarkdown(message.content);
      const parts = await messageParts(bridge, conversation, message, text);
      const attachments = attachmentsOf(message, text);
      const as = await authorIdentity(bridge, message);
      const added = parts.map((_, at) =>
        linkToPost(bridge, conversation, message, { kind: 'text', part: free + at }),
      );
      const bodies = parts.map(({ text, blocks }, at): CorePost => {
        const link = added[at]?.id ?? '';
        return { kind: 'post', link, text, blocks, thread: conversation.thread_ts, as, fromChat };
      });
      return {
        isNew: true,
        write: async (tx) => {
          for (const link of added) await linkMessage(tx, link);
          await planPosts(tx, bridge, place, bodies);
          await bridge.hooks.messageMirrored(tx, { conversation, message, attachments, as, links: files });
        },
      };
    }
    case 'edit': {
      const words = shown.filter(({ kind }) => kind === 'text');
      const text = parseMarkdown(message.content);
      const parts = await messageParts(bridge, conversation, message, text);
      const bodies = words.map((link, at): CorePost => {
        const part = parts[at];
        if (!part) return { kind: 'delete', link: link.id };
        return {
          kind: 'edit',
          link: link.id,
          text: part.text,
          blocks: part.blocks,
          version: message.updatedAt,
          fromChat,
        };
      });
      const attachments = attachmentsOf(message, text);
      const as = await authorIdentity(bridge, message);
      const further = parts.slice(words.length);
      // Slack cannot insert a message into a thread: what follows others says which message it continues.
      const label = further.length > 0 ? await continuationOf(bridge, conversation, message, words) : [];
      const added = further.map((_, at) =>
        linkToPost(bridge, conversation, message, { kind: 'text', part: free + at }),
      );
      for (const [at, { text, blocks }] of further.entries())
        bodies.push({
          kind: 'post',
          link: added[at]?.id ?? '',
          text,
          blocks: at === 0 ? [...label, ...blocks] : blocks,
          thread: conversation.thread_ts,
          as,
          fromChat,
        });
      return {
        isNew: false,
        write: async (tx) => {
          for (const link of added) await linkMessage(tx, link);
          await planPosts(tx, bridge, place, bodies);
          for (const [at, { id }] of words.entries())
            await setLink(tx, id, { version: message.updatedAt, digest, deleted: parts[at] === undefined });
          await bridge.hooks.messageMirrored(tx, { conversation, message, attachments, as, links: files });
        },
      };
    }
  }
}

async function setLink(
  tx: BridgeTx,
  id: string,
  values: { version: string | null; digest: string; deleted: boolean },
): Promise<void> {
  await tx.updateTable('message_link').set(values).where('id', '=', id).execute();
}

/** Returns the blocks that say which message a part continues; none if it follows that message at once. */
async function continuationOf(
  { database, bot }: Pick<Bridge, 'database' | 'bot'>,
  { id, channel_id: channel }: Conversation,
  message: TicketMessage,
  words: readonly MessageLink[],
): Promise<unknown[]> {
  const last = words.at(-1)?.ts;
  if (!last) return [];
  const later = await database.db
    .selectFrom('message_link')
    .select('id')
    .where('conversation_id', '=', id)
    .where('ticket_message_id', '<>', message.id)
    .where('deleted', '=', false)
    .where((is) => is.or([is('ts', 'is', null), is('ts', '>', last)]))
    .executeTakeFirst();
  if (!later) return [];
  const earlier =
    bot.url === undefined
      ? 'an earlier message'
      : `<${permalinkOf(bot.url, { channel, ts: last })}|an earlier message>`;
  return [context(`Continues ${earlier}, which was edited`)];
}

async function messageParts(
  bridge: Bridge,
  { role }: Pick<Conversation, 'role'>,
  message: TicketMessage,
  text: Root,
): Promise<{ text: string; blocks: unknown[] }[]> {
  const forTeam = role === 'triage';
  // The team's copy of what the requester reads notifies nobody again.
  const isCopy = forTeam && !message.private;
  const chatUsers = isCopy ? undefined : await chatUsersOf(bridge, mentionedIn(text));
  const parts = markdownToChat(text, (userId) => chatUsers?.get(userId));
  // Messages of the team in this thread are notes; this one was written elsewhere, and is labelled as such (B14).
  if (message.private)
    return parts.map((part, at) => (at === 0 ? { ...part, blocks: [INTERNAL_NOTE, ...part.blocks] } : part));
  const below = forTeam ? [] : bridge.hooks.underMessage(message);
  const last = parts.length - 1;
  return parts.map((part, at) => (at === last ? { ...part, blocks: [...part.blocks, ...below] } : part));
}

const INTERNAL_NOTE = context(':lock: Internal note');
