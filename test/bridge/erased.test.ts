import { expect, test } from 'vitest';
import { z } from 'zod';

import type { Bridge } from '../../src/bridge/bridge.ts';
import { jobKind } from '../../src/bridge/feature.ts';
import { runJob } from '../../src/bridge/inbox/work.ts';
import { forgetErased } from '../../src/bridge/people/erased.ts';
import { AnsweredError } from '../../src/client/index.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { DeadLetter, RetryLater } from '../../src/platform/jobs/index.ts';
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
    metrics: { retries: { inc: () => undefined } },
  } as unknown as Bridge;
  const write = async (meanwhile: () => Promise<void>) => {
    const kind = jobKind('write', z.object({ write: z.string() }), async () => {
      await meanwhile();
      throw new AnsweredError('POST /ticket-messages', 422, NO_PROBLEM, undefined);
    });
    const job = { payload: { write: 'usr_1' }, queue: 'conversation', attempt: 1 } as never;
    const loadApp = () => Promise.reject(new Error('not needed'));
    return runJob(bridge, [{ jobs: [kind] }], loadApp, job).catch((error: unknown) => error);
  };
  return { bridge, write, addPerson };
}

const nothing = () => Promise.resolve();

test.each([
  ['by the job itself', () => nothing],
  ['by a comparison of this process meanwhile', (bridge: Bridge) => () => forgetErased(bridge)],
  [
    'by another process meanwhile',
    (bridge: Bridge) => () => forgetErased({ ...bridge, erased: { last: 0 } }),
  ],
])('a job whose user was erased is repeated once that user is forgotten: %s', async (_, forgetting) => {
  const { bridge, write, addPerson } = await refusedBridge();
  expect(await write(forgetting(bridge))).toBeInstanceOf(RetryLater);
  // What is refused without that is refused for good.
  expect(await write(nothing)).toBeInstanceOf(DeadLetter);
  // A job under way has stored that user again.
  await addPerson();
  expect(await write(forgetting(bridge))).toBeInstanceOf(RetryLater);
});
