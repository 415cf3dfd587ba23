import { expect, test } from 'vitest';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { classify } from '../../src/bridge/inbox/classify.ts';
import { workNamingUsers } from '../../src/bridge/entry/work-event.ts';
import { forgetErased } from '../../src/bridge/people/erased.ts';
import { AnsweredError } from '../../src/client/index.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { GiveUp, RetryLater } from '../../src/platform/engine/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';

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
