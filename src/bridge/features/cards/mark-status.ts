import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { featureKind, type OutboxRow, plan } from '../../outbox/outbox.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { statusEmoji } from '../../blocks/emoji.ts';
import { type Conversation, conversationOf, placeOf } from '../../threads/conversations.ts';
import { statusKey } from '../../slack/ids.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';

const STATUS = featureKind('status');

/**
 * Returns the status emoji for a conversation's parent message (B29); null if there is none.
 * @param visible whether the place may show anything of the ticket. Throws ServiceError.
 */
export async function wantedStatus(
  bridge: Bridge,
  ticket: Ticket,
  { role }: Pick<Conversation, 'role'>,
  visible: boolean,
): Promise<string | null> {
  if (role !== 'request' || !visible || ticket.queueId === null) return null;
  const settings = (await bridge.channels.queue(ticket.queueId))?.settings;
  if (!settings?.enableEmojiUpdates || settings.silentMode) return null;
  return statusEmoji(ticket.status.statusGroup.label) ?? null;
}

/**
 * Plans the emoji if it differs from the last one wanted on this parent message. Call it under the conversation's
 * ordering key.
 */
export async function planStatus(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  wanted: string | null,
): Promise<void> {
  const { id, thread_ts, parent_deleted, status_wanted, status_ts } = conversation;
  const before = status_ts === thread_ts ? status_wanted : null;
  if (parent_deleted || wanted === before) return;
  const isNewRoot = status_ts !== thread_ts;
  await tx
    .updateTable('conversation')
    .set({ status_wanted: wanted, ...(isNewRoot ? { status_ts: thread_ts, status_shown: null } : {}) })
    .where('id', '=', id)
    .execute();
  await plan(tx, bridge, { ...placeOf(conversation), orderingKey: statusKey(id) }, [{ kind: STATUS }]);
}

/** Updates the emoji on the parent message; many changes at once make one call (B29). */
export async function statusCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
): Promise<Call | undefined> {
  const { channel_id: channel, conversation_id: conversationId } = row;
  const {
    status_ts: ts,
    status_wanted: wanted,
    status_shown: shown,
  } = await conversationOf(bridge.database.db, { conversationId });
  // An earlier attempt may have done half of it: repeat both.
  if (ts === null || (wanted === shown && row.state !== 'sending')) return undefined;
  const old = shown !== null && shown !== wanted ? shown : undefined;
  const record = (now: string | null) => async (tx: Tx<BridgeTables>) => {
    await tx
      .updateTable('conversation')
      .set({ status_shown: now })
      .where('id', '=', conversationId)
      .where('status_ts', '=', ts)
      .execute();
  };
  return {
    methods: old === undefined ? ['reactions.add'] : ['reactions.remove', 'reactions.add'],
    make: async () => {
      if (old !== undefined) await writer.unreact(channel, ts, old);
      if (wanted !== null) await writer.react(channel, ts, wanted);
      return undefined;
    },
    after: record(wanted),
    // The message is gone, or has the maximum number of emoji: the card shows the status.
    gone: record(null),
  };
}
