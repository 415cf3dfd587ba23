import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds until a source is opened again: a new connection may work at once, a restart takes a moment. */
const PAUSES_MS = [0, 1_000, 5_000];

/** Bytes that are read while they are sent on. */
export interface Source {
  /** The stream that is being read. */
  body: Readable;
  /** Ends the reading, and must be aborted when nothing more is sent. */
  signal: AbortSignal;
  /** Opens the source again from a byte; undefined while it fails. Throws if it can never be read. */
  reopen: (from: number) => Promise<Readable | undefined>;
}

/**
 * Yields the bytes of a source of a known size. Where it is cut, it is opened again from the first missing byte, so
 * that the receiver's upload goes on.
 * @throws the error of a cut that stays.
 */
export async function* resumed(source: Source, size: number): AsyncGenerator<Buffer> {
  const pauses = [...PAUSES_MS];
  let pieces = source.body.iterator() as AsyncIterator<Buffer, undefined>;
  for (let at = 0; ;) {
    // Only a failure to read is the source's: the consumer may throw into this generator, too.
    const next = await pieces.next().catch((error: unknown) => ({ error }));
    if ('value' in next && next.value !== undefined) {
      at += next.value.length;
      yield next.value;
      continue;
    }
    let body: Readable | undefined;
    while (at < size && !body && pauses.length > 0) {
      await wait(pauses.shift(), undefined, { signal: source.signal });
      body = await source.reopen(at);
    }
    if (body) {
      source.body = body.on('error', () => undefined);
      pieces = body.iterator() as typeof pieces;
    } else if ('error' in next) throw next.error;
    else return;
  }
}
