import { expect, onTestFinished, test } from 'vitest';

import { createLog } from '../../src/platform/log.ts';
import { startRepeating } from '../../src/platform/repeating.ts';

test('background work that fails at each look is logged once, and once more when it works again', async () => {
  const lines: { msg: string; failures?: number }[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) },
  });
  const looks = Promise.withResolvers<undefined>();
  let count = 0;
  const running = startRepeating({
    work: async () => {
      count += 1;
      if (count === 6) looks.resolve(undefined);
      if (count <= 3) throw new Error('the database is away');
      return false;
    },
    everyMs: 1,
    log,
    failed: 'could not look',
  });
  onTestFinished(() => running.stop());
  await looks.promise;
  expect(lines).toEqual([
    expect.objectContaining({ msg: 'could not look' }),
    expect.objectContaining({ msg: 'could not look for a while; it works again', failures: 3 }),
  ]);
});
