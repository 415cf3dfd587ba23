import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { plan } from '../outbox/outbox.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import { type Conversation, placeOf } from './conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** Part of a ticket message was posted: records it in the service, or deletes it if it must not be shown any more. */
export async function recordPost(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  linkId: string,
  ts: string,
): Promise<void> {
  const posted = await tx
    .updateTable('message_link')
    .set({ ts })
    .where('id', '=', linkId)
    .returning('deleted')
    .executeTakeFirst();
  if (posted?.deleted) return plan(tx, bridge, placeOf(conversation), [{ kind: 'delete', link: linkId }]);
  await bridge.hooks.messageLinked(tx, conversation.id, {
    team: conversation.team_id,
    channel: conversation.channel_id,
    ts,
  });
  await enqueue(tx, [
    { queue: CONVERSATION_QUEUE, orderingKey: conversation.id, payload: { copied: linkId } },
  ]);
}
