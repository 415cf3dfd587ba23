import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import { Busboy } from '@fastify/busboy';

import { malformed } from '../problem.ts';
import { extendedName } from './disposition.ts';

const NO_FILE = 'Send the file as one part of multipart/form-data, with a file name';
const NO_FORM =
  'The header content-type names no usable boundary. Send multipart/form-data with a boundary of at most 70 characters';
const CUT = 'The body ended before the file did. Nothing was stored; send it again';
const TOO_SLOW =
  'The body arrives too slowly: less than 1 kB a second. Nothing was stored; send it again on a faster line';
const malformedFile = (message: string) => malformed([{ path: 'file', message }]);

/** A body must have so many more bytes after each such time. */
const SLOW_AFTER_MS = 30_000;
const LEAST_BYTES = 30 * 1024;

/** A file of a multipart body: the name of its part, and its own, which is empty if the part gives none. */
export interface Part {
  field: string;
  name: string;
  stream: Readable;
}

/**
 * Returns a reader of a multipart body with up to `most` files; throws 400 if its content type has no usable boundary.
 */
function readerOf(contentType: string, most: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: most, fields: 10, fieldSize: 1_000, parts: most + 11, headerSize: 8_192 },
    });
  } catch {
    // That header is all that it reads here.
    throw malformedFile(NO_FORM);
  }
}

/**
 * Returns a name of a part as it was before browsers and programs quoted it: they write three characters in percent
 * notation and `%` itself as it is (https://html.spec.whatwg.org/#multipart-form-data).
 */
function readQuoted(name: string): string {
  return name.replaceAll(/%(22|0A|0D)/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/**
 * Tells of each part's content disposition before the part is handed on. The library's own reader of it takes the first
 * or the last of `filename` and `filename*`, and has no other way to the header than the stream of parts inside.
 */
function onDisposition(busboy: InstanceType<typeof Busboy>, told: (disposition: string) => void): void {
  const { _parser: inside } = busboy as unknown as { _parser: { parser: EventEmitter } };
  inside.parser.prependListener('part', (part: EventEmitter) => {
    part.on('header', (header: Record<string, string[]>) => told(header['content-disposition']?.[0] ?? ''));
  });
}

/**
 * Hands the files of a multipart body on while they arrive, and returns what was stored in their order; 400 if the body
 * has none or too many, or ends early. The rest of a body that is refused is read and dropped, so that the client gets
 * the answer.
 * @param store consumes the stream, which fails if the body is cut.
 */
export function receiveFiles<Stored>(
  body: IncomingMessage,
  most: number,
  store: (part: Part) => Promise<Stored>,
  slowAfterMs = SLOW_AFTER_MS,
): Promise<Stored[]> {
  return new Promise((resolve, reject) => {
    let part: Readable | undefined;
    const stored: Promise<Stored>[] = [];
    let failed = false;
    const fail = (error: unknown) => {
      if (failed) return;
      failed = true;
      body.unpipe(busboy);
      body.resume();
      part?.destroy(error as Error);
      // What was written of a stream that fails is removed first.
      void Promise.allSettled(stored).then(() => reject(error as Error));
    };
    const busboy = readerOf(body.headers['content-type'] ?? '', most);
    let disposition = '';
    onDisposition(busboy, (now) => (disposition = now));
    busboy.on('file', (field, stream, given: string | undefined) => {
      part = stream;
      const name = extendedName(disposition) ?? readQuoted(given ?? '');
      // `store` fails with the stream's errors. If it stops early for a reason of its own, the stream emits an
      // AbortError, which must not replace that reason.
      stream.on('error', () => undefined);
      const storing = store({ field: readQuoted(field), name, stream });
      stored.push(storing);
      storing.catch(fail);
    });
    const tooMany = most === 1 ? 'Send one file per request' : `Send at most ${most} files per request`;
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      busboy.on(limit, () => fail(malformedFile(tooMany)));
    // A part without a name is passed over, and a body of nothing else is an error to the library.
    busboy.on('error', () => fail(malformedFile(body.complete && stored.length === 0 ? NO_FILE : CUT)));
    busboy.on('finish', () => {
      if (stored.length > 0) Promise.all(stored).then(resolve, fail);
      else fail(malformedFile(NO_FILE));
    });
    // A body that trickles in would keep its place, and what is held of it, for the quarter of an hour that a file may
    // take.
    let arrived = 0;
    body.on('data', (piece: Buffer) => void (arrived += piece.length));
    const slow = setInterval(() => {
      // While it is paused, it is we who are slow.
      if (arrived < LEAST_BYTES && !body.isPaused() && !body.complete) fail(malformedFile(TOO_SLOW));
      arrived = 0;
    }, slowAfterMs);
    slow.unref();
    body.once('close', () => clearInterval(slow));
    const cut = () => {
      if (!body.complete) fail(malformedFile(CUT));
    };
    body.on('error', cut);
    body.on('close', cut);
    body.pipe(busboy);
  });
}
