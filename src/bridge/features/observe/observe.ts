import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { titleOf, UNTITLED } from '../../tickets/title-rules.ts';
import type { ChatMessage } from '../../slack/chat-event.ts';
import type { ChannelHome } from '../../tickets/channels.ts';
import { noteObserved } from './store.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { textOf } from '../../threads/message-text.ts';

/** What those are told who ask for a ticket there by themselves. */
export const WATCHED =
  'No ticket was opened: I only watch this channel, and write nothing for it yet. Ask where requests went until now.';

/** Whether a channel is only watched: whatever would be opened or said there is noted at most (B56). */
export function isWatched(home: ChannelHome | undefined): boolean {
  return home?.observed === true;
}

/**
 * Notes the ticket that would have been opened on a message of a watched channel (B56); belongs into the transaction
 * that ends the turn.
 * @param reason what would have opened it: a rule and a few words.
 */
export async function watchedTicket(
  bridge: Bridge,
  root: ChatMessage,
  askedBy: string,
  reason: string,
): Promise<(tx: Tx<BridgeTables>) => Promise<void>> {
  const { words } = await textOf(bridge, root);
  return (tx) =>
    noteObserved(tx, {
      team_id: root.team,
      channel_id: root.channel,
      ts: root.root,
      title: titleOf(words) || UNTITLED,
      reason,
      chat_user_id: root.user ?? askedBy,
      seen_at: bridge.clock.now(),
    });
}
