import { expect } from 'vitest';

import { verifySignature } from '../../src/platform/signatures.ts';
import type { Running } from '../service/harness.ts';
import type { Received } from '../service/receiver.ts';

export const ticket = async ({ call }: Running) => {
  const { status, body } = await call('POST', '/tickets', { body: { title: 'T' } });
  expect(status).toBe(200);
  return body;
};

export async function register({ call }: Running, url: string, more: object = {}): Promise<string> {
  const { status, body } = await call('POST', '/webhooks', {
    body: { url, eventTypes: ['Ticket'], ...more },
  });
  expect(status).toBe(200);
  return body.id;
}

export async function deliveries({ call }: Running, webhook: string, state: string): Promise<number> {
  return (await call('GET', `/webhooks/${webhook}/deliveries?state=${state}&limit=1`)).body.totalCount;
}

export const idOf = ({ headers }: Received) => String(headers['webhook-id']);
export const signedBy = ({ headers, body }: Received, ...secrets: string[]) =>
  secrets.map((secret) =>
    verifySignature(
      {
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        body: Buffer.from(body),
      },
      String(headers['webhook-signature']),
      [secret],
    ),
  );
