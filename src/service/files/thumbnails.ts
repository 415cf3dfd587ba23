import type { Selectable } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb } from '../handler.ts';
import type { Tables } from '../schema/tables.ts';
import { MAX_PIXELS } from '../file-records/records.ts';
import type { FileStorage } from './storage.ts';

/** Pixels of the longer side, at most. */
const SIDE = 640;
/** Larger images get no small copy: they are held in memory while it is drawn. */
const MAX_BYTES = 25 * 1024 ** 2;
const DRAWING_SECONDS = 10;

type Image = Pick<Selectable<Tables['file']>, 'workspace_id' | 'hash' | 'size'>;

export interface Thumbnails {
  /** Returns the small copy of an image, drawn at the first call and then stored; null if none can be drawn. */
  of(image: Image): Promise<Buffer | null>;
}

/**
 * Draws one image at a time, with limits of pixels, bytes and seconds: a file of a kilobyte may describe a picture of
 * gigabytes. The library is loaded when it is first needed, so that the program starts quickly.
 */
export function createThumbnails({
  db,
  storage,
  clock,
  log,
}: {
  db: ServiceDb;
  storage: FileStorage;
  clock: Clock;
  log: Log;
}): Thumbnails {
  const drawing = new Map<string, Promise<Buffer | null>>();
  let last: Promise<unknown> = Promise.resolve();

  const stored = ({ workspace_id, hash }: Image) =>
    db
      .selectFrom('file_thumbnail')
      .select('bytes')
      .where('workspace_id', '=', workspace_id)
      .where('hash', '=', hash)
      .executeTakeFirst();

  async function make(image: Image): Promise<Buffer | null> {
    const { workspace_id, hash, size } = image;
    let bytes: Buffer | null = null;
    if (size <= MAX_BYTES) {
      const parts: Buffer[] = [];
      for await (const part of storage.read(workspace_id, hash)) parts.push(part);
      bytes = await draw(Buffer.concat(parts)).catch((error: unknown) => {
        log.info({ err: error, hash }, 'an image cannot be drawn');
        return null;
      });
    }
    await db
      .insertInto('file_thumbnail')
      .values({ workspace_id, hash, bytes, created_at: clock.now() })
      .onConflict((existing) => existing.doNothing())
      .execute();
    return bytes;
  }

  return {
    async of(image) {
      const known = await stored(image);
      if (known) return known.bytes;
      const key = `${image.workspace_id} ${image.hash}`;
      const running = drawing.get(key);
      if (running) return running;
      const made = last.then(() => make(image));
      last = made.catch(() => undefined);
      drawing.set(key, made);
      try {
        return await made;
      } finally {
        drawing.delete(key);
      }
    },
  };
}

async function draw(image: Buffer): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'none', pages: 1, sequentialRead: true })
    .rotate()
    .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 80 })
    .timeout({ seconds: DRAWING_SECONDS })
    .toBuffer();
}
