import { expect } from 'vitest';

import { boltApp, openSandbox } from './open-sandbox.ts';

/** Longer than a busy machine takes to acknowledge, and short enough to wait for it after each lost acknowledgement. */
const PATIENCE_MS = 10_000;

/**
 * A conversation with random faults at the highest rate: a call still succeeds before long, and every event
 * reaches the app.
 */
export async function talkThroughChaos(seed: number): Promise<void> {
  const sandbox = await openSandbox({ patienceMs: PATIENCE_MS });
  const heard = new Set<string>();
  const app = await boltApp(sandbox, (bolt) => {
    bolt.event('message', async ({ event }) => {
      heard.add((event as { text?: string }).text ?? '');
    });
  });
  sandbox.control.chaos({ seed, intensity: 1 });
  for (let n = 1; n <= 40; n += 1)
    await sandbox.control.message({ channel: 'it-help', user: 'ada', text: `message ${n}` });
  // Consecutive failures: two, a storm of six, and a call that the storm interrupted.
  for (let failures = 0; failures <= 12; failures += 1) {
    const answer = await app.client.auth.test().catch(() => undefined);
    if (answer?.ok) break;
    expect(failures).toBeLessThan(12);
  }
  // The client reconnects 5, 10 and 15 s after a cut while its requests for a socket URL fail.
  await sandbox.control.waitFor('ack', () => heard.size === 40);
  // A second failure of the same delivery would delay it by minutes, as in Slack.
  const failedTwice = sandbox.control
    .log(5_000)
    .filter((entry) => entry.kind === 'unacked' && entry.attempt > 1);
  expect(failedTwice).toEqual([]);
  const { chaos } = sandbox.control.listFaults();
  expect(Object.keys(chaos?.did ?? {}).length).toBeGreaterThan(3);
}
