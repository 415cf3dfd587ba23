import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/lanes/index.ts';
import { CONVERSATION_QUEUE } from '../intake/store.ts';
import type { ChatPlace } from '../links/ids.ts';
import { lockMessage, reactionsAt } from '../links/reactions.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** Has the emoji carried that were heard of before their message was linked; call it where that is written. */
export async function carryEarlier(
  tx: Tx<BridgeTables>,
  conversationId: string,
  place: ChatPlace,
): Promise<void> {
  await lockMessage(tx, place);
  const earlier = await reactionsAt(tx, place)
    .where('present', '=', true)
    .where('user_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (earlier)
    await enqueue(tx, [
      {
        queue: CONVERSATION_QUEUE,
        key: conversationId,
        payload: { reacted: conversationId, channel: place.channel, ts: place.ts },
      },
    ]);
}
