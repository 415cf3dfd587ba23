import { expect, onTestFinished, test } from 'vitest';

import { ChannelQueues } from '../../../src/bridge/tickets/channels.ts';
import { createClient } from '../../../src/client/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { PATIENT_CLIENT } from '../../harness/patient-client.ts';
import { startTestService } from '../../service/harness.ts';

test('work that needs the workspaces at the same moment reads them once, so that a slow service is not asked by all of it', async () => {
  const service = await startTestService();
  const client = createClient({
    baseUrl: service.url,
    token: service.token,
    now: () => new Date(),
    random: () => 0.5,
    ...PATIENT_CLIENT,
  });
  onTestFinished(() => client.close());
  const channels = new ChannelQueues(client, systemClock, 'T1', 60_000, async () => undefined);
  const reads = () => service.lines.filter(({ route }) => route === '/api/workspaces').length;
  const before = reads();
  const all = () => Promise.all(Array.from({ length: 20 }, () => channels.offered()));
  await all();
  expect(reads() - before).toBe(1);
  channels.forget();
  await all();
  expect(reads() - before).toBe(2);
});
