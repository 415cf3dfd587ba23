import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startProcess, startWorld } from '../harness/world.ts';

test('a bridge whose address the service does not call ends with a sentence that says what to set', async () => {
  const world = await startWorld({}, ['service', '--demo']);
  await expect(world.beside(['start'])).rejects.toThrow(
    /The service does not take the webhook http:\/\/127\.0\.0\.1:\d+\/….*Set PUBLIC_URL .*ALLOW_PRIVATE_WEBHOOKS=true/s,
  );
}, 120_000);

// Other systems than Linux give their loopback one address only.
test.skipIf(process.platform !== 'linux')(
  'programs that listen on one address reach each other there, and say so; the sandbox stays on loopback',
  async () => {
    const world = await startProcess({ HOST: '127.0.0.2' });
    world.leaveUncompared('its service listens where the harness does not look for it');
    const ready = world.log.find(({ msg }) => msg === 'ready');
    expect([ready?.sandbox, ready?.api]).toEqual([
      world.urls.sandbox,
      world.urls.api.replace('127.0.0.1', '127.0.0.2'),
    ]);
    for (const event of ['webhook.registered', 'chat.connected'])
      await until(event, async () => world.log.some((line) => line.event === event));
  },
  120_000,
);
