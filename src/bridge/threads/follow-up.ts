import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { type OpenRequest, type CorePost, plan } from '../outbox/outbox.ts';
import { titleOf } from '../tickets/title-rules.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import type { Conversation } from './conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { markdownToChat } from '../text/to-chat.ts';
import type { Ticket } from '../tickets/find-ticket.ts';
import { textOf } from './message-text.ts';
import { signed, speakerOf } from './speaker.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';

/**
 * Plans the follow-up to a request that ended long ago: the reply becomes the parent message of a new thread, under its
 * author's name, with a ticket linked to the old one (B22).
 */
export async function followUp(
  bridge: Bridge,
  conversation: Conversation,
  { code, id, private: isPrivate }: Ticket,
  message: ChatMessage,
): Promise<CorePost[]> {
  const author = await speakerOf(bridge, message);
  const { markdown, words } = await textOf(bridge, message);
  const [part] = markdownToChat(markdown, () => undefined);
  const note = `Follows up on ${ticketLink(bridge, code)}`;
  const context = { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: note }] };
  const { id: old, channel_id: channel, thread_ts: root } = conversation;
  const title = titleOf(words);
  const open: OpenRequest = {
    title,
    description: signed(author, markdown),
    requester: message.user ?? '',
    private: isPrivate,
    follows: { ticket: id, code, conversation: old, channel, root },
  };
  const blocks = [...(part?.blocks ?? []), context];
  return [{ kind: 'root', text: part?.text ?? title, blocks, as: { name: author.name }, open }];
}

/** Links from the thread of the old ticket to the follow-up. */
export async function tellFollowUp(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  { follows }: OpenRequest,
  code: string,
): Promise<void> {
  if (!follows) return;
  const { conversation: conversationId, channel, root: under } = follows;
  const text = `${ticketLink(bridge, follows.code)} ended long ago, so your reply is a new request: ${ticketLink(bridge, code)}. It goes on in its own thread.`;
  await plan(tx, bridge, { conversationId, team: bridge.bot.team, channel }, [{ kind: 'line', text, under }]);
}
