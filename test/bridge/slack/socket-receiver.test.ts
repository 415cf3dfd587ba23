import { expect, onTestFinished, test } from 'vitest';

import { SocketReceiver } from '../../../src/bridge/slack/socket-receiver.ts';
import { createBridgeMetrics } from '../../../src/bridge/metrics.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRegistry } from '../../../src/platform/metrics.ts';
import { until } from '../../harness/until.ts';
import { openSandbox } from '../../sandbox/open-sandbox.ts';
import { SEED } from '../../sandbox/seed.ts';

test('the rate limit notice, which has no event, is accepted like the events around it', async () => {
  const sandbox = await openSandbox({ seed: { ...SEED, app: { ...SEED.app, eventsPerHour: 2 } } });
  const heard: string[] = [];
  const receiver = new SocketReceiver({
    appToken: SEED.app.appToken,
    apiUrl: sandbox.apiUrl,
    intake: async (body) => {
      heard.push(JSON.stringify(body));
    },
    reconnected: () => undefined,
    log: createLog({ level: 'silent', pretty: false }),
    metrics: createBridgeMetrics(createRegistry()),
  });
  onTestFinished(() => receiver.stop());
  await receiver.start();
  for (const text of ['one', 'two', 'three', 'four'])
    await sandbox.control.message({ channel: 'it-help', user: 'ada', text });
  await until('everything to be acknowledged', async () => sandbox.control.state().undelivered === 0);
  expect(heard.map((body) => /one|two|three|four|app_rate_limited/.exec(body)?.[0])).toEqual([
    'one',
    'two',
    'app_rate_limited',
  ]);
  expect(receiver.connected).toBe(true);
});
