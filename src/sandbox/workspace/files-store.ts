import { imageSize } from 'image-size';
import type { Selectable } from 'kysely';

import { LIMITS } from '../limits.ts';
import type { Tables } from '../schema/tables.ts';
import type { App } from './directory.ts';
import { isPicture, kindOf } from './files-kind.ts';
import { storableText } from './storable.ts';
import type { Workspace } from './workspace.ts';

export type StoredFile = Selectable<Tables['file']>;

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
export async function promiseFile(workspace: Workspace, wanted: NewFile): Promise<StoredFile> {
  const { db, ids, directory } = workspace;
  const now = Math.floor(workspace.clock.now().getTime() / 1000);
  if (wanted.size > LIMITS.fileBytes) throw new FileLimitError('size', tooLarge);
  await db
    .deleteFrom('file')
    .where('state', '=', 'promised')
    .where('created_at', '<', now - LIMITS.uploadUrlMs / 1000)
    .execute();
  await mustFit(workspace, wanted.size);
  const name = storableText(wanted.name);
  return db
    .insertInto('file')
    .values({
      id: ids.slackId('F'),
      team_id: directory.team.id,
      user_id: wanted.user,
      app_id: wanted.app?.id ?? null,
      name,
      title: storableText(wanted.title ?? name),
      alt_text: storableText(wanted.altText ?? ''),
      snippet_type: wanted.snippetType ?? null,
      size: wanted.size,
      width: null,
      height: null,
      created_at: now,
      state: 'promised',
      upload_secret: ids.secret(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Refuses what would not fit in beside the other files. */
async function mustFit({ db }: Workspace, size: number, except = ''): Promise<void> {
  const { count, bytes } = await db
    .selectFrom('file')
    .where('state', '!=', 'deleted')
    .where('id', '!=', except)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<string | null>('size').as('bytes')])
    .executeTakeFirstOrThrow();
  if (count >= LIMITS.files || Number(bytes ?? 0) + size > LIMITS.allFileBytes)
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
export async function keepBytes(
  workspace: Workspace,
  secret: string,
  bytes: Buffer,
): Promise<StoredFile | undefined> {
  const { db } = workspace;
  const file = await db
    .selectFrom('file')
    .selectAll()
    .where('upload_secret', '=', secret)
    .where('state', 'in', ['promised', 'uploaded'])
    .executeTakeFirst();
  if (!file) return undefined;
  if (bytes.length > LIMITS.fileBytes) throw new FileLimitError('size', tooLarge);
  await mustFit(workspace, bytes.length, file.id);
  await db
    .insertInto('file_bytes')
    .values({ file_id: file.id, bytes })
    .onConflict((conflict) => conflict.column('file_id').doUpdateSet({ bytes }))
    .execute();
  const size = measure(file, bytes);
  const kept = await db
    .updateTable('file')
    .set({ size: bytes.length, width: size?.width ?? null, height: size?.height ?? null, state: 'uploaded' })
    .where('id', '=', file.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  workspace.journal.record('file', { file: file.id, change: 'uploaded' });
  return kept;
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
export async function findFile({ db, directory }: Workspace, id: string): Promise<StoredFile | undefined> {
  return db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', id)
    .where('team_id', '=', directory.team.id)
    .executeTakeFirst();
}

export async function bytesOf({ db }: Workspace, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('file_bytes').select('bytes').where('file_id', '=', id).executeTakeFirst();
  return row?.bytes;
}

/** What an app may see: what it uploaded, and what is shown in a public channel or where it is a member. */
export function maySee({ directory }: Workspace, app: App, file: StoredFile): boolean {
  if (file.app_id === app.id) return true;
  return file.shares.some(({ channel: id }) => {
    const channel = directory.channels.get(id);
    return channel !== undefined && (channel.kind === 'channel' || channel.members.has(app.botUserId));
  });
}
