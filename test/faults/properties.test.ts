import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';

import { type Route, routes } from '../../src/contract/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sign, type SignedParts, verifySignature } from '../../src/platform/signatures.ts';
import { createRateLimit } from '../../src/service/http/rate-limit.ts';
import { valueOf } from '../contract/arbitrary.ts';
import { MovableClock } from '../service/clock.ts';
import { requestOf } from './requests.ts';

/** Cases of each property; `PROPERTY_RUNS=100000` for a long run. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 1_000);

/** Yields the bytes with each of their bits changed. */
function* flips(bytes: Uint8Array): Generator<Uint8Array> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield changed;
  }
}

/** Yields a header value, which is Latin-1, with each of its bits changed. */
function* flipsOf(text: string): Generator<string> {
  for (const bytes of flips(Buffer.from(text, 'latin1'))) yield Buffer.from(bytes).toString('latin1');
}

describe('P2 signatures', () => {
  const secret = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);
  const parts = fc.record({
    id: fc.string({ minLength: 1, maxLength: 30, unit: 'binary-ascii' }),
    timestamp: fc.integer({ min: 0, max: 4_000_000_000 }).map(String),
    body: fc.uint8Array({ minLength: 1, maxLength: 60 }),
  });

  test('P2 any single changed bit in a body, an id, a timestamp or a signature makes verification fail', () => {
    fc.assert(
      fc.property(parts, secret, (signed, key) => {
        const signature = sign(signed, [key]);
        const verifies = (changed: Partial<SignedParts>) =>
          verifySignature({ ...signed, ...changed }, signature, [key]);
        expect(verifies({})).toBe(true);
        expect([...flips(signed.body)].filter((body) => verifies({ body }))).toEqual([]);
        expect([...flipsOf(signed.id)].filter((id) => verifies({ id }))).toEqual([]);
        expect([...flipsOf(signed.timestamp)].filter((timestamp) => verifies({ timestamp }))).toEqual([]);
        expect([...flipsOf(signature)].filter((text) => verifySignature(signed, text, [key]))).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 50) },
    );
  });

  test('P2 the Standard Webhooks library verifies our signatures, and we verify its signatures', () => {
    const now = Math.floor(systemClock.now().getTime() / 1000);
    fc.assert(
      fc.property(
        secret,
        secret,
        fc.stringMatching(/^[\w-]{1,30}$/),
        fc.string({ unit: 'grapheme' }),
        (key, old, id, text) => {
          const body = JSON.stringify({ text });
          const timestamp = String(now);
          const signed = { id, timestamp, body: Buffer.from(body) };
          const signature = sign(signed, [key, old]);
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': signature,
          };
          for (const one of [key, old])
            expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body));
          const theirs = new Webhook(key).sign(id, new Date(now * 1000), body);
          expect(verifySignature(signed, theirs, [old, key])).toBe(true);
        },
      ),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});

describe('P3 the contract', () => {
  const schemas = Object.entries(routes as Record<string, Route>).flatMap(([name, route]) =>
    (['params', 'query', 'body'] as const).flatMap((part) => {
      const schema = route[part];
      return schema ? [{ what: `${name}, ${part}`, schema }] : [];
    }),
  );

  test('P3 a request of any operation is the same after it was written as JSON and parsed', () => {
    for (const { what, schema } of schemas)
      fc.assert(
        fc.property(requestOf(schema), (value) => {
          const read = schema.parse(value);
          expect(schema.parse(JSON.parse(JSON.stringify(read))), what).toEqual(read);
        }),
        { numRuns: Math.ceil(RUNS / 100) },
      );
    expect(schemas.length).toBeGreaterThan(100);
  });

  test('P3 a response of any operation is the same after it was written as JSON and parsed', () => {
    for (const [name, route] of Object.entries(routes))
      for (const schema of 'thin' in route ? [route.answer, route.thin] : [route.answer])
        fc.assert(
          fc.property(valueOf(schema), (value) => {
            expect(schema.parse(JSON.parse(JSON.stringify(value))), name).toEqual(value);
          }),
          { numRuns: Math.ceil(RUNS / 100) },
        );
  });
});

describe('P8 the rate limit', () => {
  test('P8 no minute admits more than the burst and the refill, whatever the clock does, and the remainder is never negative', () => {
    const steps = fc.array(fc.record({ pass: fc.integer({ min: -5_000, max: 30_000 }), calls: fc.nat(30) }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), steps, (limit, moves) => {
        const clock = new MovableClock();
        const rate = createRateLimit(clock);
        // The clock may jump back; only the real elapsed time counts.
        let forward = 0;
        const admitted: number[] = [];
        for (const { pass, calls } of moves) {
          clock.pass(pass);
          forward += Math.max(0, pass);
          for (let call = 0; call < calls; call++) {
            const { allowed, headers } = rate.take('somebody', limit);
            if (allowed) admitted.push(forward);
            expect(Number(/r=(-?\d+)/.exec(headers['ratelimit'] ?? '')?.[1])).toBeGreaterThanOrEqual(0);
            if (!allowed) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
          }
        }
        let most = 0;
        for (const [first, from] of admitted.entries())
          for (let last = first; last < admitted.length; last++)
            most = Math.max(most, last - first + 1 - ((admitted[last] ?? 0) - from) * (limit / 60_000));
        expect(most).toBeLessThanOrEqual(limit + 1e-6);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
