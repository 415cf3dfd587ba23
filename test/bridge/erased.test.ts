import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { classify } from '../../src/bridge/inbox/classify.ts';
import { workEvent, workNamingUsers } from '../../src/bridge/entry/work-event.ts';
import { forgetErased } from '../../src/bridge/people/erased.ts';
import { AnsweredError } from '../../src/client/index.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { GiveUp, RetryLater } from '../../src/platform/engine/index.ts';
import { PERSONAL_EVENT, workFor } from '../../src/bridge/work.ts';
import { createLog } from '../../src/platform/log.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';
import { envelopes } from '../harness/envelopes.ts';

const log = createLog({ level: 'silent', pretty: false });
const NO_PROBLEM = { code: null, issues: [], conflict: null, requestId: null, message: null };

/** A bridge whose service refuses every write, and has erased a user of the bridge. */
async function refusedBridge() {
  const { database } = await bridgeDatabase(3);
  const addPerson = () =>
    database.db
      .insertInto('person')
      .values({
        team_id: 'T1',
        chat_user_id: 'U1',
        user_id: 'usr_1',
        name: 'Ada',
        is_bot: false,
        is_guest: false,
        read_at: clock.now(),
      })
      .execute();
  await addPerson();
  const all = async function* () {
    yield { id: 'usr_1', erasedAt: clock.now().toISOString() };
  };
  const bridge = {
    database,
    engine: bridgeEngine(database),
    envelopes,
    clock,
    log,
    bot: { team: 'T1' },
    erased: { last: 0 },
    service: { all },
    channels: { workspaceIds: () => Promise.resolve(['wsp_1']) },
  } as unknown as Bridge;
  /** What follows from work that names the user. */
  const write = (meanwhile: () => Promise<void>) =>
    workNamingUsers(bridge, async () => {
      await meanwhile();
      throw new AnsweredError('POST /ticket-messages', 422, NO_PROBLEM, undefined);
    }).catch((error: unknown) => classify(error, 1));
  return { bridge, write, addPerson };
}

const nothing = () => Promise.resolve();

test.each([
  ['by the work itself', () => nothing],
  ['by a comparison of this process meanwhile', (bridge: Bridge) => () => forgetErased(bridge)],
  [
    'by another process meanwhile',
    (bridge: Bridge) => () => forgetErased({ ...bridge, erased: { last: 0 } }),
  ],
])('work whose user was erased is repeated once that user is forgotten: %s', async (_, forgetting) => {
  const { bridge, write, addPerson } = await refusedBridge();
  expect(await write(forgetting(bridge))).toBeInstanceOf(RetryLater);
  // What is refused without that is refused for good.
  expect(await write(nothing)).toBeInstanceOf(GiveUp);
  // Work under way has stored that user again.
  await addPerson();
  expect(await write(forgetting(bridge))).toBeInstanceOf(RetryLater);
});

test('what an erased person sent is emptied, waiting or not, and ends as erased; words of others stay, without them', async () => {
  const { bridge } = await refusedBridge();
  const { db } = bridge.database;
  const message = (user: string, text: string) => ({ type: 'message', channel: 'C1', ts: '1.1', user, text });
  const rows: [id: string, event: object, done: Date | null][] = [
    ['own, waiting', message('U1', 'my salary'), null],
    ['own, done', message('U1', 'my salary'), clock.now()],
    ['of another, waiting', message('U2', 'ask <@U1|ada.lovelace> or <@U12>'), null],
    ['of another, done', message('U2', 'ask <@U1|ada.lovelace>'), clock.now()],
    ['about nobody', message('U2', 'the printer'), null],
    ['of the same account later', message('U1', 'it is me again'), null],
  ];
  for (const [id, event, done_at] of rows) {
    const body = { type: 'event_callback', team_id: 'T1', event_id: id, event };
    const received_at = new Date(clock.now().getTime() + (id.endsWith('later') ? 60_000 : -60_000));
    const place = { source: 'chat', kind: 'message', event_key: id, received_at } as const;
    await db
      .insertInto('inbox')
      .values({ ...place, id, done_at, body: JSON.stringify(body) })
      .execute();
  }
  const reaction = {
    type: 'reaction_added',
    user: 'U1',
    reaction: 'eyes',
    event_ts: '1.2',
    item: { type: 'message', channel: 'C1', ts: '1.1' },
  };
  await db
    .insertInto('inbox')
    .values({
      id: 'own reaction, waiting',
      source: 'chat',
      kind: 'reaction',
      event_key: 'reaction:T1:C1:1.1:U1:eyes:added:1.2',
      body: JSON.stringify({ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event: reaction }),
      received_at: new Date(clock.now().getTime() - 60_000),
    })
    .execute();
  // Another person's press on a message of theirs, which became a dead letter.
  const shortcut = {
    type: 'message_action',
    callback_id: 'create_ticket',
    trigger_id: '1.2.3',
    channel: { id: 'C1' },
    team: { id: 'T1' },
    user: { id: 'U2' },
    message: message('U1', 'my salary'),
  };
  await db
    .insertInto('inbox')
    .values({
      id: 'a press',
      source: 'chat',
      kind: 'shortcut',
      event_key: 'a press',
      body: JSON.stringify(shortcut),
      received_at: new Date(clock.now().getTime() - 60_000),
    })
    .execute();
  await bridge.engine.add(workFor(PERSONAL_EVENT, 'person:U2', { inbox: 'a press' }));
  await db.updateTable('work').set({ dead_at: clock.now(), error: 'refused' }).execute();
  await forgetErased(bridge);
  expect((await db.selectFrom('work').select('dead_at').executeTakeFirstOrThrow()).dead_at).toBeNull();
  const kept = await db.selectFrom('inbox').select(['id', 'body']).orderBy('id').execute();
  const texts = kept.map(({ id, body }) => [id, (body as { event: { text: string } } | null)?.event.text]);
  expect(Object.fromEntries(texts)).toEqual({
    'a press': undefined,
    'own reaction, waiting': undefined,
    'own, waiting': undefined,
    'own, done': undefined,
    'of another, waiting': 'ask <@U-usr_1> or <@U12>',
    'of another, done': undefined,
    'about nobody': 'the printer',
    'of the same account later': 'it is me again',
  });

  const keys = await db.selectFrom('inbox').select('event_key').execute();
  expect(keys.map(({ event_key }) => event_key).filter((key) => /\bU1\b/.test(key))).toEqual([]);

  const ended = await workEvent(
    bridge,
    () => Promise.reject(new Error('nothing is left to hand to a listener')),
    { body: { inbox: 'own, waiting' }, lane: 'conversation:cnv_1', attempt: 1, isFirst: true } as never,
  );
  expect(ended.outcome).toBe('erased');
});
