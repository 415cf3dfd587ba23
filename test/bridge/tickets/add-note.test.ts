import { expect, test } from 'vitest';

import type { Bridge } from '../../../src/bridge/bridge.ts';
import { addNote } from '../../../src/bridge/tickets/create-once.ts';
import { UnreachableError } from '../../../src/client/index.ts';
import { systemClock as clock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { bridgeDatabase } from '../../harness/bridge-database.ts';
import { bridgeEngine } from '../../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });

/** A bridge beside a service whose first answer to a creation is lost. */
async function bridgeThatLosesAnAnswer() {
  const { database } = await bridgeDatabase(3);
  const notes: Record<string, unknown>[] = [];
  const createOrFind = async (_: string, { body }: { body: Record<string, unknown> }) => {
    const { chatChannelId: channelId, chatTimestamp: ts } = body;
    const known = notes.find(({ chatMessages }) => JSON.stringify(chatMessages).includes(String(ts)));
    const record = known ?? { id: 'msg_1', ...body, deleted: false, chatMessages: [{ channelId, ts }] };
    if (known) return { record, created: false, ticket: undefined };
    notes.push(record);
    throw new UnreachableError('POST /ticket-messages', false, new Error('the answer is lost'));
  };
  const all = async function* () {
    yield* notes;
  };
  const bridge = {
    database,
    engine: bridgeEngine(database),
    clock,
    log,
    service: { createOrFind, all },
    channels: { workspaceIds: () => Promise.resolve(['wsp_1']) },
  } as unknown as Bridge;
  /** The checks that were added since the last call. */
  const checks = () => database.db.deleteFrom('work').returning(['kind', 'body']).execute();
  return { bridge, checks };
}

test('a note whose creation lost its answer is shown to the team as every other, and looked at once', async () => {
  const { bridge, checks } = await bridgeThatLosesAnAnswer();
  const attempt = (firstAttempt: boolean) =>
    addNote(bridge, { firstAttempt, receivedAt: clock.now() }, 'tkt_1', 'undelivered', 'It was refused');
  await expect(attempt(true)).rejects.toThrow(UnreachableError);
  expect(await checks()).toEqual([]);
  await attempt(false);
  expect(await checks()).toEqual([{ kind: 'mirror', body: { ticket: 'tkt_1' } }]);
  // Later work that has the same to say.
  await attempt(true);
  expect(await checks()).toEqual([]);
});
