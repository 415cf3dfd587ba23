import { expect, test } from 'vitest';

import { webhookCreate, webhookUpdate } from '../../src/contract/webhook.ts';

const base64 = (bytes: number, value: number) => Buffer.alloc(bytes, value).toString('base64');

test.for<[secret: string, stored: string | undefined]>([
  ['whsec_!!!!!!!!', undefined],
  ['whsec_YWJj', undefined],
  ['whsec_', undefined],
  ['whsec_====================', undefined],
  [`whsec_${base64(15, 1)}`, undefined],
  [`whsec_${Buffer.alloc(16, 255).toString('base64url')}`, undefined],
  [`whsec_${base64(16, 1)} x`, undefined],
  [`whsec_${base64(16, 1)}!`, undefined],
  [`whsec_${base64(16, 1)}\n${base64(16, 1)}`, undefined],
  [`whsec_${'A'.repeat(21)}`, undefined],
  [`whsec_${'A'.repeat(25)}`, undefined],
  ['short', undefined],
  ['   short   ', undefined],
  ['        ', ''],
  ['', ''],
  [`whsec_${base64(16, 1)}`, `whsec_${base64(16, 1)}`],
  [`whsec_${'A'.repeat(22)}`, `whsec_${'A'.repeat(22)}`],
  [`whsec_${base64(25, 250).replace(/=+$/, '')}`, `whsec_${base64(25, 250).replace(/=+$/, '')}`],
  [`\t whsec_${base64(32, 7)}\n`, `whsec_${base64(32, 7)}`],
  ['  any other text  ', 'any other text'],
  ['WHSEC_!!!!!!!!', 'WHSEC_!!!!!!!!'],
])('the webhook secret %j is stored as %j, or refused', ([secret, stored]) => {
  for (const schema of [webhookCreate, webhookUpdate])
    expect(schema.safeParse({ url: 'https://hooks.example/x', secret }).data?.secret).toBe(stored);
});
