import pg from 'pg';
import { expect, test } from 'vitest';

import { migrateBridge, openDeadLetters } from '../../src/bridge/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { migratedDatabase } from '../harness/database.ts';

const log = createLog({ level: 'silent', pretty: false });

test('the list of dead letters shows neither message text nor response URLs', async () => {
  const { url } = await migratedDatabase('bridge', (template) => migrateBridge(template, log));
  const open = {
    title: 'planted title',
    description: 'planted description',
    requester: 'U0ADAREYES',
    private: true,
    responseUrl: 'https://hooks.slack.com/commands/planted',
  };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into bridge.job (queue, ordering_key, payload, state, head, run_at, dead_at, last_error)
     values ('conversation', 'cnv', $1, 'dead', false, now(), now(), 'POST /tickets returned 422')`,
    [JSON.stringify({ open, conversation: 'cnv_1' })],
  );
  await client.end();
  const items = await openDeadLetters(url, log, systemClock);
  const [item] = await items.list();
  await items.stop();
  expect(item?.what).not.toContain('planted');
  expect(JSON.parse(item?.what ?? '')).toMatchObject({
    open: { title: '…', requester: 'U0ADAREYES', private: true },
    conversation: 'cnv_1',
  });
});
