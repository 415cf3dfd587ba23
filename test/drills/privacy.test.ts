import { test } from 'vitest';

import { proveSecrecy } from './harness/traffic.ts';
import { SEED } from './drill.ts';

test('B14 B27 B35 nothing private is ever read by others, whoever does what in which order, while both sides are compared', async () => {
  await proveSecrecy(SEED, { steps: 55, settings: { RECONCILE_EVERY_SECONDS: '2' } });
}, 300_000);
