import { imageSize } from 'image-size';

import { LIMITS } from '../limits.ts';
import type { Tables } from '../store/tables.ts';
import type { App } from './directory.ts';
import { isPicture, kindOf } from './files-kind.ts';
import { storableText } from './storable.ts';
import type { Workspace } from './workspace.ts';

export type StoredFile = Tables['file'];

/** There is no room: the file is too large, or there are too many of them already. */
export class FileLimitError extends Error {
  override readonly name = 'FileLimitError';
  readonly limit: 'size' | 'storage';

  constructor(limit: 'size' | 'storage', message: string) {
    super(message);
    this.limit = limit;
  }
}

const tooLarge = `a file may have ${LIMITS.fileBytes} bytes here`;

export interface NewFile {
  user: string;
  app?: App | undefined;
  name: string;
  title?: string | undefined;
  altText?: string | undefined;
  snippetType?: string | undefined;
  /** Bytes. */
  size: number;
}

/**
 * Notes a file whose bytes are to come. Promises that nobody kept within the hour make room.
 *
 * @throws {FileLimitError} when it is too large or nothing more fits in.
 */
export function promiseFile(workspace: Workspace, wanted: NewFile): StoredFile {
  const { db, ids, directory } = workspace;
  const now = Math.floor(workspace.clock.now().getTime() / 1000);
  if (wanted.size > LIMITS.fileBytes) throw new FileLimitError('size', tooLarge);
  db.run(`delete from file where state = 'promised' and created_at < ?`, now - LIMITS.uploadUrlMs / 1000);
  mustFit(workspace, wanted.size);
  const name = storableText(wanted.name);
  return db.insert('file', {
    id: ids.slackId('F'),
    team_id: directory.team.id,
    user_id: wanted.user,
    app_id: wanted.app?.id,
    name,
    title: storableText(wanted.title ?? name),
    alt_text: storableText(wanted.altText ?? ''),
    snippet_type: wanted.snippetType,
    size: wanted.size,
    created_at: now,
    state: 'promised',
    upload_secret: ids.secret(),
  });
}

/** Refuses what would not fit in beside the other files. */
function mustFit({ db }: Workspace, size: number, except = ''): void {
  const { count, bytes } = db
    .query<{ count: number; bytes: number }>(
      `select count(*) as count, total(size) as bytes from file where state <> 'deleted' and id <> ?`,
    )
    .get(except) ?? { count: 0, bytes: 0 };
  if (count >= LIMITS.files || bytes + size > LIMITS.allFileBytes)
    throw new FileLimitError(
      'storage',
      `the sandbox keeps ${LIMITS.files} files and ${LIMITS.allFileBytes} bytes; delete some`,
    );
}

/**
 * Keeps the bytes of a promised file; sent again, the later ones stand. Undefined when nobody waits for them.
 *
 * @throws {FileLimitError} when they are more than was promised and do not fit in.
 */
export function keepBytes(workspace: Workspace, secret: string, bytes: Buffer): StoredFile | undefined {
  const { db } = workspace;
  const file = db
    .query<StoredFile>(`select * from file where upload_secret = ? and state in ('promised', 'uploaded')`)
    .get(secret);
  if (!file) return undefined;
  if (bytes.length > LIMITS.fileBytes) throw new FileLimitError('size', tooLarge);
  mustFit(workspace, bytes.length, file.id);
  const measured = measure(file, bytes);
  const size = { size: bytes.length, width: measured?.width ?? null, height: measured?.height ?? null };
  db.transaction(() => {
    db.upsert('file_bytes', ['file_id'], { file_id: file.id, bytes });
    db.update('file', { id: file.id }, { ...size, state: 'uploaded' });
  });
  workspace.journal.record('file', { file: file.id, change: 'uploaded' });
  return { ...file, ...size, state: 'uploaded' };
}

/** How large a picture is; undefined for what is none, or says nothing of it. */
function measure(file: StoredFile, bytes: Buffer): { width: number; height: number } | undefined {
  if (!isPicture(kindOf(file.name, file.snippet_type))) return undefined;
  try {
    const { width, height } = imageSize(bytes);
    return { width, height };
  } catch {
    // Its name says picture, its bytes do not.
    return undefined;
  }
}

/** A file of this workspace. */
export function findFile({ db, directory }: Workspace, id: string): StoredFile | undefined {
  return db.query<StoredFile>('select * from file where id = ? and team_id = ?').get(id, directory.team.id);
}

export function bytesOf({ db }: Workspace, id: string): Buffer | undefined {
  const row = db.query<{ bytes: Uint8Array }>('select bytes from file_bytes where file_id = ?').get(id);
  return row && Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength);
}

/** What an app may see: what it uploaded, and what is shown in a public channel or where it is a member. */
export function maySee({ directory }: Workspace, app: App, file: StoredFile): boolean {
  if (file.app_id === app.id) return true;
  return file.shares.some(({ channel: id }) => {
    const channel = directory.channels.get(id);
    return channel !== undefined && (channel.kind === 'channel' || channel.members.has(app.botUserId));
  });
}
