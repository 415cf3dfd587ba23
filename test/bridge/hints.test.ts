import { sql } from 'kysely';
import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { PARTS } from '../../src/bridge/features/index.ts';
import { reminders } from '../../src/bridge/features/reminders/index.ts';
import { joinHooks } from '../../src/bridge/hooks.ts';
import { createInbox, type ServiceEvent } from '../../src/bridge/inbox/store.ts';
import { planCheck } from '../../src/bridge/entry/service-event.ts';
import { workEvent } from '../../src/bridge/entry/work-event.ts';
import { createBridgeMetrics } from '../../src/bridge/metrics.ts';
import { EVENT, MIRROR, NOTIFY } from '../../src/bridge/work.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { envelopes } from '../harness/envelopes.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });

/** A bridge that takes the service's events, with one ticket in a thread, and counts its checks of tickets. */
async function openHints() {
  const { database } = await bridgeDatabase(4);
  const engine = bridgeEngine(database);
  await database.db
    .insertInto('conversation')
    .values({
      id: 'cnv_1',
      team_id: 'T1',
      channel_id: 'C1',
      thread_ts: '1.1',
      ticket_id: 'tkt_1',
      created_at: clock.now(),
      applied_until: clock.now(),
    })
    .execute();
  const storing = { engine, clock, newId: createIds(clock), envelopes };
  const bridge: Bridge = {
    ...storing,
    database,
    inbox: createInbox({ ...storing, planCheck: (tx, changed) => planCheck(bridge, tx, changed) }),
    log,
    metrics: createBridgeMetrics(createRegistry()),
    noticeAfterMs: 60_000,
    get hooks() {
      return joinHooks(PARTS.map((part) => part.hooks?.(bridge) ?? {}));
    },
  } as unknown as Bridge;
  let sent = 0;
  const hint = (ticketId: string, more: Partial<ServiceEvent> = {}) =>
    bridge.inbox.service(`evt_${++sent}`, { threads: [], ...more, ticketId } as ServiceEvent);
  const checked: string[] = [];
  let during = () => Promise.resolve();
  engine.handle(EVENT, {
    work: (work) => workEvent(bridge, () => Promise.reject(new Error('not needed')), work),
  });
  engine.handle(MIRROR, {
    work: async ({ body }) => {
      checked.push(body.ticket);
      await during();
      return { outcome: 'checked' };
    },
  });
  const outcomes = async () => {
    const rows = await database.db.selectFrom('inbox').select(['outcome', 'done_at']).execute();
    return rows.map(({ outcome, done_at }) => done_at && outcome);
  };
  return {
    db: database.db,
    engine,
    hint,
    checked,
    outcomes,
    /** Does this in each check. */
    inCheck: (act: () => Promise<void>) => void (during = act),
  };
}

test.each([
  ['with a conversation', 'tkt_1', 'tkt_2'],
  ['without one', 'tkt_2', 'tkt_1'],
])(
  'B31 a burst of hints of one ticket makes one check after all of them, and none is left out for another ticket’s: %s',
  async (_, ticket, other) => {
    const { db, engine, hint, checked, outcomes } = await openHints();
    for (const id of [ticket, other, ticket, ticket]) await hint(id);
    await engine.start();
    await engine.settled();
    expect(checked.sort()).toEqual([ticket, other].sort());
    expect(await outcomes()).toEqual(Array.from({ length: 4 }, () => 'its ticket is checked'));
    // What people are to be notified of is checked once for each ticket, too.
    const notices = await db.selectFrom('work').select('lane').where('kind', '=', NOTIFY.name).execute();
    expect(notices.map(({ lane }) => lane).sort()).toEqual(['notice:ticket:tkt_1', 'notice:ticket:tkt_2']);
  },
);

test('B31 a hint that comes once the check has begun makes another one', async () => {
  const { engine, hint, checked, inCheck } = await openHints();
  inCheck(async () => {
    if (checked.length === 1) await hint('tkt_1');
  });
  await hint('tkt_1');
  await engine.start();
  await engine.settled();
  expect(checked).toEqual(['tkt_1', 'tkt_1']);
});

test('B16 an echo makes no check', async () => {
  const { db, engine, hint, checked, outcomes } = await openHints();
  await db
    .insertInto('message_link')
    .values({
      id: 'lnk_1',
      conversation_id: 'cnv_1',
      ticket_message_id: 'msg_1',
      team_id: 'T1',
      channel_id: 'C1',
      ts: '1.2',
      origin: 'chat',
    })
    .execute();
  await hint('tkt_1', { forwarded: { ticketId: 'tkt_1', messageId: 'msg_1', places: [] } });
  await engine.start();
  await engine.settled();
  expect(checked).toEqual([]);
  expect(await outcomes()).toEqual(['echo of this thread']);
});

test('B67 a warning makes its list be read at once, also if that was planned for later; other hints do not', async () => {
  const { db, engine, hint } = await openHints();
  await reminders.begin?.({ engine } as unknown as Bridge);
  await db
    .updateTable('work')
    .set({ not_before: sql`not_before + interval '1 minute'` })
    .execute();
  const planned = async () => {
    const rows = await db
      .selectFrom('work')
      .select('not_before')
      .where('merge_key', '=', 'remind:warn')
      .execute();
    return rows.map(({ not_before }) => not_before.getTime() > clock.now().getTime());
  };
  await hint('tkt_1');
  expect(await planned()).toEqual([true]);
  await hint('tkt_1', { requestsPosts: true });
  expect(await planned()).toEqual([false]);
});
