import { expect, test } from 'vitest';

import { openDeadLetters } from '../../src/bridge/index.ts';
import { OPEN } from '../../src/bridge/threads/posts.ts';
import { workFor } from '../../src/bridge/work.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { bridgeDatabase } from '../harness/bridge-database.ts';
import { bridgeEngine } from '../harness/bridge-engine.ts';

const log = createLog({ level: 'silent', pretty: false });

test('the list of dead letters shows neither message text nor response URLs', async () => {
  const { database, url } = await bridgeDatabase(2);
  const open = {
    title: 'planted title',
    description: 'planted description',
    requester: 'U0ADAREYES',
    private: true,
    responseUrl: 'https://hooks.slack.com/commands/planted',
  };
  await bridgeEngine(database).add(workFor(OPEN, 'cnv_1', { open, conversation: 'cnv_1' }));
  await database.db
    .updateTable('work')
    .set({ dead_at: systemClock.now(), error: 'POST /tickets returned 422' })
    .execute();
  const items = await openDeadLetters(url, log, systemClock);
  const [item] = await items.list();
  await items.stop();
  expect(item?.what).not.toContain('planted');
  const [kind, body] = item?.what.split(/ (.*)/) ?? [];
  expect(kind).toBe('open');
  expect(JSON.parse(body ?? '')).toMatchObject({
    open: { title: '…', requester: 'U0ADAREYES', private: true },
    conversation: 'cnv_1',
  });
});
