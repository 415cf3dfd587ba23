import crypto, { webcrypto } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Random numbers that repeat with their seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Begins the sequence of another seed. */
  reset(seed: number): void {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Whether something of this probability happens. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from 0 up to `below`. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** One of these; throws if there is none. */
  oneOf<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('there is nothing to choose from');
    return items[this.below(items.length)] as Item;
  }

  /** One of these names, the more likely the larger its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    return names.find((name) => (left -= weights[name]) < 0) ?? (names[0] as Name);
  }

  /** A sequence of its own: what is drawn from it changes nothing here. */
  fork(): Chance {
    return new Chance(this.below(2 ** 32));
  }

  /** Replaces every source of randomness of the process. */
  install(): void {
    Math.random = this.next;
    const fill = <Bytes extends NodeJS.ArrayBufferView>(bytes: Bytes): Bytes => {
      const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at < view.length; at++) view[at] = this.below(256);
      return bytes;
    };
    const randomBytes = (size: number, done?: (error: null, bytes: Buffer) => void) => {
      const bytes = fill(Buffer.alloc(size));
      if (done) process.nextTick(done, null, bytes);
      return bytes;
    };
    const randomUUID = () => {
      const hex = randomBytes(16).toString('hex');
      const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
      return [...parts, hex.slice(20)].join('-');
    };
    const randomInt = (from: number, to?: number) =>
      to === undefined ? this.below(from) : from + this.below(to - from);
    Object.assign(crypto, { randomBytes, randomUUID, randomInt, randomFillSync: fill });
    Object.assign(webcrypto, { getRandomValues: fill, randomUUID });
    syncBuiltinESMExports();
  }
}
