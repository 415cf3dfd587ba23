import { test } from 'vitest';

import { proveSecrecy } from './harness/traffic.ts';
import { SEED } from './drill.ts';

test('B14 B27 B35 nothing private is ever readable by others, whatever users do in whatever order, during reconciliation as well', async () => {
  await proveSecrecy(SEED, { steps: 55, settings: { RECONCILE_EVERY_SECONDS: '2' } });
});
