import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { plan } from '../outbox/outbox.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import { type Conversation, placeOf } from './conversations.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** Part of a ticket message stands in chat: the service is told where, or it is taken away where nobody is to see it now. */
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
