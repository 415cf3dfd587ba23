import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { plan } from '../../outbox/outbox.ts';
import { type ChatPlace, markLane } from '../../slack/ids.ts';
import { ownSetting } from '../../tickets/own-settings.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { queueHere } from '../commands/queue-here.ts';

/** Whether messages of a channel bear a quiet ✔ when they are on their ticket (B54): its queue's setting `receipts`. */
export async function wantsReceipts(bridge: Bridge, channel: string): Promise<boolean> {
  const home = await queueHere(bridge, channel);
  return home !== undefined && (await ownSetting(bridge, 'receipts', home.queueId));
}

/** Plans the ✔ of a message that is on its ticket now; what it bore until then goes (B54). */
export async function confirmReceipt(tx: Tx<BridgeTables>, bridge: Bridge, place: ChatPlace): Promise<void> {
  const { team, channel, ts } = place;
  await tx
    .insertInto('receipt')
    .values({ team_id: team, channel_id: channel, ts, wanted: 'crossed', shown: null })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'channel_id', 'ts']).doUpdateSet({ wanted: 'crossed' }),
    )
    .execute();
  await plan(tx, bridge, { conversationId: null, team, channel, lane: markLane(place) }, [
    { kind: 'mark', ts },
  ]);
}
