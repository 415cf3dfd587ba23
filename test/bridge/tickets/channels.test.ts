import { expect, test } from 'vitest';

import { ChannelQueues } from '../../../src/bridge/tickets/channels.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { patientClient } from '../../harness/patient-client.ts';
import { startTestService } from '../../service/harness.ts';

test('work that needs the workspaces at the same moment reads them once, so that a slow service is not asked by all of it', async () => {
  const service = await startTestService();
  const client = patientClient(service);
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
