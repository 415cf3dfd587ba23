import { randomBytes } from 'node:crypto';

import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/platform/clock.ts';
import {
  isFresh,
  secretBytes,
  sign,
  SIGNATURE_WINDOW_SECONDS,
  signSlack,
  verifySignature,
  verifySlack,
} from '../../src/platform/signatures.ts';

const bytes = fc.uint8Array({ maxLength: 200 });
const parts = fc.record({
  id: fc.string({ minLength: 1, maxLength: 30 }),
  timestamp: fc.integer({ min: 0, max: 4_000_000_000 }).map(String),
  body: bytes,
});
const secret = fc.oneof(
  fc.string({ minLength: 8, maxLength: 64 }),
  fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
);

describe('signatures', () => {
  it('verify any signed bytes, with any of the secrets of a rotation', () => {
    fc.assert(
      fc.property(parts, secret, secret, (signed, old, fresh) => {
        const signature = sign(signed, [fresh, old]);
        expect(verifySignature(signed, signature, [old])).toBe(true);
        expect(verifySignature(signed, signature, ['another secret', fresh])).toBe(true);
      }),
    );
  });

  it('fail after any change of body, id, timestamp or secret', () => {
    fc.assert(
      fc.property(parts, secret, fc.nat(), (signed, key, position) => {
        const signature = sign(signed, [key]);
        const flipped = Uint8Array.from([...signed.body, 0]);
        flipped[position % flipped.length] = (flipped[position % flipped.length] ?? 0) ^ 1;
        expect(verifySignature({ ...signed, body: flipped }, signature, [key])).toBe(false);
        expect(verifySignature({ ...signed, id: `${signed.id}x` }, signature, [key])).toBe(false);
        expect(verifySignature({ ...signed, timestamp: `${signed.timestamp}1` }, signature, [key])).toBe(
          false,
        );
        expect(verifySignature(signed, signature, ['not the secret'])).toBe(false);
      }),
    );
  });

  it('distinguish bodies of invalid UTF-8, which a decoded string would not', () => {
    const signed = { id: 'evt_1', timestamp: '1', body: Uint8Array.of(0xff) };
    expect(
      verifySignature({ ...signed, body: Uint8Array.of(0xfe) }, sign(signed, ['secret-x']), ['secret-x']),
    ).toBe(false);
  });

  it('reject any text as a signature without an exception', () => {
    fc.assert(
      fc.property(parts, fc.string(), (signed, text) => {
        expect(verifySignature(signed, text, ['secret-x'])).toBe(false);
      }),
    );
  });

  it('agree with the Standard Webhooks library', () => {
    const key = `whsec_${randomBytes(32).toString('base64')}`;
    const timestamp = String(Math.floor(systemClock.now().getTime() / 1000));
    const body = JSON.stringify({ text: 'Grüße – 你好' });
    const signature = sign({ id: 'evt_1', timestamp, body: Buffer.from(body) }, [key]);
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('accept a timestamp within the window on both sides, and no other', () => {
    const now = new Date('2026-11-20T09:30:00Z');
    const at = (offset: number) => String(now.getTime() / 1000 + offset);
    expect(
      [0, SIGNATURE_WINDOW_SECONDS, -SIGNATURE_WINDOW_SECONDS].map((offset) => isFresh(at(offset), now)),
    ).toEqual([true, true, true]);
    expect(
      [SIGNATURE_WINDOW_SECONDS + 1, -SIGNATURE_WINDOW_SECONDS - 1].map((offset) => isFresh(at(offset), now)),
    ).toEqual([false, false]);
    for (const text of ['', 'NaN', '-1', '1e9', ' 1', '9'.repeat(13)]) expect(isFresh(text, now)).toBe(false);
  });

  it('decode secrets only with their prefix', () => {
    expect(secretBytes('whsec_AAEC')).toEqual(Buffer.from([0, 1, 2]));
    expect(secretBytes('plain')).toEqual(Buffer.from('plain'));
  });
});

describe('signatures of Slack', () => {
  // The example of docs.slack.dev/authentication/verifying-requests-from-slack.
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  const timestamp = '1531420618';
  const body = Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  );
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';

  it('match the example in Slack’s documentation', () => {
    expect(signSlack(timestamp, body, secret)).toBe(signature);
    expect(verifySlack(timestamp, body, signature, secret)).toBe(true);
  });

  it('fail for another time, body, secret or version, and for an invalid signature', () => {
    expect(verifySlack('1531420619', body, signature, secret)).toBe(false);
    expect(verifySlack(timestamp, body.subarray(1), signature, secret)).toBe(false);
    expect(verifySlack(timestamp, body, signature, `${secret}x`)).toBe(false);
    expect(verifySlack(timestamp, body, signature.replace('v0', 'v1'), secret)).toBe(false);
    expect(verifySlack(timestamp, body, '', secret)).toBe(false);
  });
});
