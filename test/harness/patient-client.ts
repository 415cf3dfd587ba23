import { onTestFinished } from 'vitest';

import { type Client, createClient } from '../../src/client/index.ts';

/**
 * Settings of a client of the API: on a machine busy with other tests answers are slow, and a test's write must not be
 * given up.
 */
export const PATIENT_CLIENT = { attemptTimeoutMs: 60_000, totalTimeoutMs: 67_000 };

/** A client of a service with these settings, until the test has finished. */
export function patientClient({ url, token }: { url: string; token: string }): Client {
  const client = createClient({
    baseUrl: url,
    token,
    now: () => new Date(),
    random: Math.random,
    ...PATIENT_CLIENT,
  });
  onTestFinished(() => client.close());
  return client;
}
