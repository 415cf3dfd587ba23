import type { Bridge } from '../../bridge.ts';
import type { OutboxRow } from '../../outbox/outbox.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import type { Tx } from '../../../platform/database/open.ts';
import { MARK_EMOJI } from '../../blocks/emoji.ts';
import { reactionsFor } from './rules.ts';
import type { BridgeTables } from '../../schema/tables.ts';

/** Updates the status reaction on one message; many changes at once make one call (B54). */
export async function markCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  ts: string,
): Promise<Call | undefined> {
  const { team_id: team, channel_id: channel } = row;
  const receipt = await bridge.database.db
    .selectFrom('delivery_status')
    .select(['wanted', 'shown'])
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('ts', '=', ts)
    .executeTakeFirst();
  const wanted = receipt?.wanted ?? null;
  const shown = receipt?.shown ?? null;
  const reactions = reactionsFor({ wanted, shown, begun: row.state === 'sending' });
  if (!reactions) return undefined;
  const record = async (tx: Tx<BridgeTables>) => {
    await tx
      .updateTable('delivery_status')
      .set({ shown: wanted })
      .where('team_id', '=', team)
      .where('channel_id', '=', channel)
      .where('ts', '=', ts)
      .execute();
  };
  return {
    methods:
      reactions.remove.length > 0
        ? ['reactions.remove', ...(reactions.add ? (['reactions.add'] as const) : [])]
        : ['reactions.add'],
    make: async () => {
      for (const mark of reactions.remove) await writer.unreact(channel, ts, MARK_EMOJI[mark]);
      if (reactions.add) await writer.react(channel, ts, MARK_EMOJI[reactions.add]);
      return undefined;
    },
    after: record,
    gone: record,
  };
}
