import type { Root } from 'mdast';

import { parseMarkdown } from '../../platform/text/markdown.ts';
import type { Bridge } from '../bridge.ts';
import { type CorePost, plan } from '../store/posts.ts';
import { decideMirror } from './rules.ts';
import { type Conversation, locationOf } from '../store/conversations.ts';
import { attachmentsOf, digestOf } from '../store/attachments.ts';
import { copiesIn, linkMessage, linkToPost, type MessageLink } from '../store/links.ts';
import { chatUsersOf } from '../people/people.ts';
import { mentionedIn } from '../../platform/text/mentions.ts';
import { context } from '../blocks/kit.ts';
import { markdownToChat } from '../text/to-chat.ts';
import { authorIdentity } from './message-text.ts';
import type { TicketMessage } from '../tickets/ticket-messages.ts';
import { permalinkOf } from '../slack/ids.ts';
import type { BridgeTx, Write } from '../work.ts';

/** Decides how a conversation shows a ticket message; `links` are those of the message in this conversation. */
function decisionOn(conversation: Conversation, message: TicketMessage, links: readonly MessageLink[]) {
  return decideMirror({
    deleted: message.deleted,
    private: message.private,
    forTeam: conversation.role === 'triage',
    links,
    namedCopy: copiesIn(conversation, message).length > 0,
    version: message.updatedAt,
    digest: digestOf(message),
  });
}

/** Returns whether a conversation shows all that it has to of a ticket message. */
export function isMirrored(
  conversation: Conversation,
  message: TicketMessage,
  links: readonly MessageLink[],
): boolean {
  return decisionOn(conversation, message, links).do === 'ignore';
}

/** What has to be written for a changed ticket message. */
export interface MessageChange {
  isNew: boolean;
  write: Write;
}

/** Returns what Slack should show of a changed ticket message; undefined if that is unchanged. */
export async function mirrorMessage(
  bridge: Bridge,
  conversation: Conversation,
  message: TicketMessage,
  links: readonly MessageLink[],
): Promise<MessageChange | undefined> {
  /** What still exists in chat. */
  const shown = links.filter((link) => !link.deleted);
  const copies = copiesIn(conversation, message);
  const digest = digestOf(message);
  const forTeam = conversation.role === 'triage';
  const decision = decisionOn(conversation, message, links);
  const place = locationOf(conversation);
  switch (decision.do) {
    case 'ignore':
      return undefined;
    case 'adopt':
      return {
        isNew: false,
        write: async (tx) => {
          const written = message.source === 'CHAT' ? { origin: 'chat' as const, version: null } : {};
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
          await plan(
            tx,
            bridge,
            place,
            shown.map(({ id }) => ({ kind: 'delete', link: id })),
          );
          for (const { id } of links)
            await setLink(tx, id, { deleted: true, version: message.updatedAt, digest });
        },
      };
    case 'post': {
      const text = parseMarkdown(message.content);
      const parts = await partsOf(bridge, message, text, forTeam);
      const attachments = attachmentsOf(message, text);
      const as = await authorIdentity(bridge, message);
      const links = parts.map((_, part) => linkToPost(bridge, conversation, message, { kind: 'text', part }));
      const bodies = parts.map(({ text, blocks }, part): CorePost => {
        const link = links[part]?.id ?? '';
        return { kind: 'post', link, text, blocks, thread: conversation.thread_ts, as };
      });
      return {
        isNew: true,
        write: async (tx) => {
          for (const link of links) await linkMessage(tx, link);
          await plan(tx, bridge, place, bodies);
          await bridge.hooks.messageMirrored(tx, { conversation, message, attachments, as, links: [] });
        },
      };
    }
    case 'edit': {
      const words = shown.filter(({ kind }) => kind === 'text');
      const text = parseMarkdown(message.content);
      const parts = await partsOf(bridge, message, text, forTeam);
      const bodies = words.map((link, at): CorePost => {
        const part = parts[at];
        if (!part) return { kind: 'delete', link: link.id };
        return {
          kind: 'edit',
          link: link.id,
          text: part.text,
          blocks: part.blocks,
          version: message.updatedAt,
        };
      });
      const files = links.filter(({ kind }) => kind === 'file');
      const attachments = attachmentsOf(message, text);
      const as = await authorIdentity(bridge, message);
      const further = parts.slice(words.length);
      // Slack cannot insert a message into a thread: what follows others says which message it continues.
      const label = further.length > 0 ? await continuationOf(bridge, conversation, message, words) : [];
      // Their numbers were never used: a former part, which is deleted, keeps its own.
      const free = Math.max(-1, ...links.filter(({ kind }) => kind === 'text').map(({ part }) => part)) + 1;
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
        });
      return {
        isNew: false,
        write: async (tx) => {
          for (const link of added) await linkMessage(tx, link);
          await plan(tx, bridge, place, bodies);
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
  values: { version: string; digest: string; deleted: boolean },
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

async function partsOf(bridge: Bridge, message: TicketMessage, text: Root, isNote: boolean) {
  const chatUsers = await chatUsersOf(bridge, mentionedIn(text));
  const parts = markdownToChat(text, (userId) => chatUsers.get(userId));
  const last = parts.length - 1;
  const below = isNote ? [] : bridge.hooks.underMessage(message);
  if (below.length > 0)
    return parts.map((part, at) => (at === last ? { ...part, blocks: [...part.blocks, ...below] } : part));
  if (!isNote) return parts;
  // Messages of the team in this thread are notes; this one was written elsewhere, and is labelled as such (B14).
  return parts.map((part, at) => (at === 0 ? { ...part, blocks: [INTERNAL_NOTE, ...part.blocks] } : part));
}

const INTERNAL_NOTE = context(':lock: Internal note');
