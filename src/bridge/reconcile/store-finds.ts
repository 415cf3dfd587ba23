import type { Bridge } from '../bridge.ts';
import { storeChatEvent } from '../inbox/store.ts';
import type { AsEvent } from './as-event.ts';

/** Stores what was missed like events of Slack; returns how many were new. */
export async function storeFinds(bridge: Bridge, finds: readonly AsEvent[]): Promise<number> {
  let found = 0;
  for (const { event, body } of finds) {
    if ((await storeChatEvent(bridge, event, body)) === 'repeated') continue;
    found += 1;
    bridge.log.warn(
      { event: 'reconcile.found', kind: event.kind, key: event.key },
      'chat had something that the bridge was never told',
    );
  }
  return found;
}

/** Returns which of these events are already stored. */
export async function storedKeys(
  { database }: Pick<Bridge, 'database'>,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await database.db
    .selectFrom('inbox')
    .select('event_key')
    .where('source', '=', 'chat')
    .where('event_key', 'in', [...keys])
    .execute();
  return new Set(rows.map((row) => row.event_key));
}
