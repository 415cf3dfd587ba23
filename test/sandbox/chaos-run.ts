import { expect } from 'vitest';

import { boltApp, openSandbox } from './open-sandbox.ts';

/** A conversation while chat is at its worst: a call still gets through before long, and every event reaches the app. */
export async function talkThroughChaos(seed: number): Promise<void> {
  const sandbox = await openSandbox();
  const heard = new Set<string>();
  const app = await boltApp(sandbox, (bolt) => {
    bolt.event('message', async ({ event }) => {
      heard.add((event as { text?: string }).text ?? '');
    });
  });
  sandbox.control.chaos({ seed, intensity: 1 });
  for (let n = 1; n <= 40; n += 1)
    await sandbox.control.message({ channel: 'it-help', user: 'ada', text: `message ${n}` });
  // Failures in a row: two, a storm of six, and what it cut short.
  for (let failures = 0; failures <= 12; failures += 1) {
    const answer = await app.client.auth.test().catch(() => undefined);
    if (answer?.ok) break;
    expect(failures).toBeLessThan(12);
  }
  // The client comes back 5, 10 and 15 s after a cut while its asking for an address fails.
  await sandbox.control.waitFor('ack', () => heard.size === 40, { timeout: 70_000 });
  // A second failure of the same delivery would cost it minutes, as it does in Slack.
  const failedTwice = sandbox.control
    .log(5_000)
    .filter((entry) => entry.kind === 'unacked' && entry.attempt > 1);
  expect(failedTwice).toEqual([]);
  const { chaos } = sandbox.control.listFaults();
  expect(Object.keys(chaos?.did ?? {}).length).toBeGreaterThan(3);
}
