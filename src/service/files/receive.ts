import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

import { Busboy } from '@fastify/busboy';

import { malformed } from '../problem.ts';

const NO_FILE = 'Send the file as one part of multipart/form-data, with a file name';
const CUT = 'The body ended before the file did. Nothing was stored; send it again';
const SECOND = 'Send one file per request';
const about = (message: string) => malformed([{ path: 'file', message }]);

/**
 * Hands the file of a multipart body on while it arrives; 400 if the body has none or several, or ends early. The rest
 * of a body that is refused is read and dropped, so that the client gets the answer.
 * @param store consumes the stream, which fails if the body is cut.
 */
export function receiveFile<Stored>(
  body: IncomingMessage,
  store: (name: string, stream: Readable) => Promise<Stored>,
): Promise<Stored> {
  return new Promise((resolve, reject) => {
    let part: Readable | undefined;
    let stored: Promise<Stored> | undefined;
    let failed = false;
    const fail = (error: unknown) => {
      if (failed) return;
      failed = true;
      body.unpipe(busboy);
      body.resume();
      part?.destroy(error as Error);
      // What it has written is removed first.
      const settled = stored ?? Promise.resolve();
      void settled.then(
        () => reject(error as Error),
        () => reject(error as Error),
      );
    };
    const busboy = new Busboy({
      headers: { 'content-type': body.headers['content-type'] ?? '' },
      limits: { files: 1, fields: 10, fieldSize: 1_000, parts: 12, headerSize: 8_192 },
    });
    busboy.on('file', (_field, stream, name) => {
      part = stream;
      // `store` fails with the stream's errors. If it stops early for a reason of its own, the stream emits an AbortError,
      // which must not replace that reason.
      stream.on('error', () => undefined);
      stored = store(name, stream);
      stored.catch(fail);
    });
    for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
      busboy.on(limit, () => fail(about(SECOND)));
    busboy.on('error', () => fail(about(CUT)));
    busboy.on('finish', () => {
      if (stored) stored.then(resolve, fail);
      else fail(about(NO_FILE));
    });
    const cut = () => {
      if (!body.complete) fail(about(CUT));
    };
    body.on('error', cut);
    body.on('close', cut);
    body.pipe(busboy);
  });
}
