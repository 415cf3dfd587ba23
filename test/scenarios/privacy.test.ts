import { test } from 'vitest';

import { proveSecrecy } from '../drills/harness/traffic.ts';

test('B14 B27 B35 nothing private is ever readable by others, in no channel, thread, answer, notification, metadata or log line', async () => {
  await proveSecrecy(27, { settings: {} });
});
