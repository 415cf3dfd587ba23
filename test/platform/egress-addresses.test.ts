import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isPublicAddress, literalAddress } from '../../src/platform/address-guard.ts';

const byte = fc.integer({ min: 0, max: 255 });
const word = fc.integer({ min: 0, max: 0xffff });

/** An address in `network/bits` with random remaining bits. */
function within4(network: string, bits: number): fc.Arbitrary<number> {
  const base = network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((rest) => base + rest);
}

const private4 = fc.oneof(
  ...(
    [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
    ] as const
  ).map(([network, bits]) => within4(network, bits)),
);
const public4 = fc
  .oneof(
    within4('8.0.0.0', 8),
    within4('93.184.0.0', 16),
    within4('172.32.0.0', 16),
    within4('100.128.0.0', 16),
  )
  .map((value) => dotted(value));

function bytes(value: number): [number, number, number, number] {
  return [Math.floor(value / 2 ** 24), (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}
function dotted(value: number): string {
  return bytes(value).join('.');
}
const hex = (value: number) => `0x${value.toString(16)}`;
const octal = (value: number) => `0${value.toString(8)}`;

/** Every way to write one IPv4 address as the host of a URL. */
const spellings: ((value: number) => string)[] = [
  dotted,
  (value) => `${dotted(value)}.`,
  (value) => String(value),
  hex,
  octal,
  (value) => bytes(value).map(hex).join('.'),
  (value) => bytes(value).map(octal).join('.'),
  (value) => `${bytes(value)[0]}.${value & 0xffffff}`,
  (value) => `${bytes(value)[0]}.${bytes(value)[1]}.${value & 0xffff}`,
  (value) => dotted(value).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (value) => dotted(value).replaceAll('.', '。'),
  (value) => `[::ffff:${dotted(value)}]`,
  (value) => `[0:0:0:0:0:ffff:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}]`,
];

describe('the address guard', () => {
  it('P4 rejects every private IPv4 address in every spelling', () => {
    fc.assert(
      fc.property(private4, fc.constantFrom(...spellings), (value, spell) => {
        const literal = literalAddress(new URL(`http://${spell(value)}/hook`));
        expect(literal, spell(value)).toBeDefined();
        expect(isPublicAddress(literal ?? ''), spell(value)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('P4 rejects every IPv6 address outside global unicast, and tunnels to IPv4', () => {
    const rest = fc.array(word, { minLength: 8, maxLength: 8 });
    const first = fc.oneof(
      fc.integer({ min: 0, max: 0x1fff }),
      fc.integer({ min: 0x4000, max: 0xffff }),
      fc.constant(0x2002),
    );
    fc.assert(
      fc.property(first, rest, (head, words) => {
        const address = [head, ...words.slice(1)].map((part) => part.toString(16)).join(':');
        expect(isPublicAddress(address), address).toBe(false);
      }),
      { numRuns: 1_000 },
    );
    for (const address of [
      '::',
      '::1',
      '64:ff9b::8.8.8.8',
      '64:ff9b:1::1',
      '2001:0:4136:e378::1',
      '2001:db8::1',
      '3fff::1',
      'fe80::1%eth0',
      'fd00::1',
      '::ffff:0:8.8.8.8',
    ])
      expect(isPublicAddress(address), address).toBe(false);
  });

  it('P4 allows public addresses', () => {
    fc.assert(
      fc.property(public4, (address) => {
        expect(isPublicAddress(address)).toBe(true);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(true);
      }),
    );
    for (const address of ['2606:4700:4700::1111', '2a00:1450:4001:82b::200e', '2001:4860:4860::8888'])
      expect(isPublicAddress(address), address).toBe(true);
  });

  it('rejects anything that is not an address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(isPublicAddress(`x${text}`)).toBe(false);
      }),
    );
    expect(literalAddress(new URL('http://example.com/'))).toBeUndefined();
    fc.assert(
      fc.property(byte, (part) => {
        expect(isPublicAddress(`10.0.0.${part}.1`)).toBe(false);
      }),
    );
  });
});
