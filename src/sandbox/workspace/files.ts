import { imageSize } from 'image-size';

import { LIMITS } from '../limits.ts';
import type { Tables } from '../store/tables.ts';
import type { FileShare, JsonObject, MessageContent } from './content.ts';
import { type App, type Channel, isExtShared } from './directory.ts';
import { storableText } from '../values.ts';
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
 * Stores a file without its bytes. Uploads that are not completed within an hour are removed.
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

/** Throws if a file does not fit next to the others. */
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
 * Stores the bytes of an upload; repeated, the last ones count. Undefined if no upload is pending.
 *
 * @throws {FileLimitError} when they are more than was promised and do not fit in.
 */
export function keepBytes(workspace: Workspace, secret: string, bytes: Buffer): StoredFile | undefined {
  const { db } = workspace;
  const file = expectedUpload(workspace, secret);
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

/** Returns the file whose bytes may be sent to an upload address; undefined if there is none. */
export function expectedUpload({ db }: Workspace, secret: string): StoredFile | undefined {
  return db
    .query<StoredFile>(`select * from file where upload_secret = ? and state in ('promised', 'uploaded')`)
    .get(secret);
}

/** Returns the size of a picture; undefined for other files or if it is unreadable. */
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

/** The files that an app may see: its own, and those in public channels or where it is a member. */
export function maySee({ directory }: Workspace, app: App, file: StoredFile): boolean {
  if (file.app_id === app.id) return true;
  return file.shares.some(({ channel: id }) => {
    const channel = directory.channels.get(id);
    return channel !== undefined && (channel.kind === 'channel' || channel.members.has(app.botUserId));
  });
}

/** What Slack calls a kind of file (docs.slack.dev/reference/objects/file-object, "File types"). */
export interface FileKind {
  mimetype: string;
  filetype: string;
  prettyType: string;
}

type Row = readonly [endings: string, mimetype: string, filetype: string, prettyType: string];

const ROWS: readonly Row[] = [
  ['png', 'image/png', 'png', 'PNG'],
  ['jpg jpeg', 'image/jpeg', 'jpg', 'JPEG'],
  ['gif', 'image/gif', 'gif', 'GIF'],
  ['webp', 'image/webp', 'webp', 'WEBP'],
  ['bmp', 'image/bmp', 'bmp', 'BMP'],
  ['tif tiff', 'image/tiff', 'tiff', 'TIFF'],
  ['heic', 'image/heic', 'heic', 'HEIC'],
  ['svg', 'image/svg+xml', 'svg', 'SVG'],
  ['mp4', 'video/mp4', 'mp4', 'MPEG 4 Video'],
  ['mov', 'video/quicktime', 'mov', 'QuickTime Movie'],
  ['webm', 'video/webm', 'webm', 'WebM'],
  ['mp3', 'audio/mpeg', 'mp3', 'MP3'],
  ['m4a', 'audio/mp4', 'm4a', 'MPEG 4 Audio'],
  ['wav', 'audio/wav', 'wav', 'WAV'],
  ['pdf', 'application/pdf', 'pdf', 'PDF'],
  ['zip', 'application/zip', 'zip', 'Zip'],
  ['gz', 'application/gzip', 'gzip', 'Gzip'],
  ['tar', 'application/x-tar', 'tar', 'Tarball'],
  ['doc', 'application/msword', 'doc', 'Word Document'],
  [
    'docx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'docx',
    'Word Document',
  ],
  ['xls', 'application/vnd.ms-excel', 'xls', 'Excel Spreadsheet'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx', 'Excel Spreadsheet'],
  ['ppt', 'application/vnd.ms-powerpoint', 'ppt', 'PowerPoint Presentation'],
  [
    'pptx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'pptx',
    'PowerPoint Presentation',
  ],
  ['eml', 'message/rfc822', 'eml', 'Email'],
  ['txt log', 'text/plain', 'text', 'Plain Text'],
  ['md', 'text/plain', 'markdown', 'Markdown (raw)'],
  ['csv', 'text/csv', 'csv', 'CSV'],
  ['html htm', 'text/html', 'html', 'HTML'],
  ['xml', 'text/xml', 'xml', 'XML'],
  ['json', 'text/plain', 'json', 'JSON'],
  ['yml yaml', 'text/plain', 'yaml', 'YAML'],
  ['css', 'text/css', 'css', 'CSS'],
  ['js', 'text/javascript', 'javascript', 'JavaScript'],
  ['ts', 'text/plain', 'typescript', 'TypeScript'],
  ['py', 'text/plain', 'python', 'Python'],
  ['sh', 'text/plain', 'shell', 'Shell'],
  ['sql', 'text/plain', 'sql', 'SQL'],
];

const BY_ENDING = new Map(
  ROWS.flatMap(([endings, mimetype, filetype, prettyType]) =>
    endings.split(' ').map((ending): [string, FileKind] => [ending, { mimetype, filetype, prettyType }]),
  ),
);
const BINARY: FileKind = { mimetype: 'application/octet-stream', filetype: 'binary', prettyType: 'Binary' };

/** The kind of a file by how its name ends; a snippet's by the syntax it was given. */
export function kindOf(name: string, snippetType: string | null): FileKind {
  if (snippetType !== null)
    return (
      ROWS.filter(([, , filetype]) => filetype === snippetType).map(
        ([, , filetype, prettyType]): FileKind => ({ mimetype: 'text/plain', filetype, prettyType }),
      )[0] ?? { mimetype: 'text/plain', filetype: snippetType, prettyType: snippetType }
    );
  return BY_ENDING.get(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '') ?? BINARY;
}

/** Types that a browser can show without executing them. */
export function isPicture({ mimetype }: FileKind): boolean {
  return /^image\/(png|jpeg|gif|webp|bmp)$/.test(mimetype);
}

/** Longest sides of the small pictures (docs.slack.dev/reference/objects/file-object). */
const SQUARES = [64, 80, 160] as const;
const THUMBS = [360, 480, 720, 960, 1024] as const;

/**
 * A file as messages carry it (docs.slack.dev/reference/objects/file-object). Until it is processed its kind is not
 * known: apps that ask too early see empty fields. `baseUrl` is where the sandbox serves its bytes.
 */
export function fileObject({ directory }: Workspace, baseUrl: string, file: StoredFile) {
  const { team } = directory;
  const known = file.state === 'processed';
  const kind = kindOf(file.name, file.snippet_type);
  const place = `${baseUrl}/files-pri/${team.id}-${file.id}`;
  const name = encodeURIComponent(file.name.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '_'));
  const mode: 'snippet' | 'hosted' = file.snippet_type === null ? 'hosted' : 'snippet';
  return {
    id: file.id,
    created: file.created_at,
    timestamp: file.created_at,
    name: file.name,
    title: file.title,
    mimetype: known ? kind.mimetype : '',
    filetype: known ? kind.filetype : '',
    pretty_type: known ? kind.prettyType : '',
    user: file.user_id,
    user_team: directory.people.get(file.user_id)?.teamId ?? team.id,
    editable: mode === 'snippet',
    size: file.size,
    mode,
    is_external: false,
    external_type: '',
    is_public: file.shares.some(({ channel }) => directory.channels.get(channel)?.kind === 'channel'),
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${place}/${name}`,
    url_private_download: `${place}/download/${name}`,
    ...(file.alt_text === '' ? {} : { alt_txt: file.alt_text }),
    ...(known && isPicture(kind) ? pictureFields(file, `${baseUrl}/files-tmb/${team.id}-${file.id}`) : {}),
    media_display_type: 'unknown',
    // Opens the message with the file in the page (file-routes.ts). No file is public: the second one leads nowhere.
    permalink: `${baseUrl}/files/${file.user_id}/${file.id}/${name}`,
    permalink_public: `${baseUrl}/files-public/${team.id}-${file.id}-${file.upload_secret.slice(0, 10)}`,
    is_starred: false,
    has_rich_preview: false,
    file_access: 'visible',
  };
}

type Square = (typeof SQUARES)[number];
type Thumb = (typeof THUMBS)[number];
type PictureFields = Partial<
  Record<'original_w' | 'original_h' | `thumb_${Thumb}_w` | `thumb_${Thumb}_h`, number> &
    Record<`thumb_${Square | Thumb}`, string>
>;

function pictureFields({ width, height }: StoredFile, place: string): PictureFields {
  if (width === null || height === null) return {};
  const fields: PictureFields = { original_w: width, original_h: height };
  for (const side of SQUARES) fields[`thumb_${side}`] = `${place}/thumb_${side}`;
  const longest = Math.max(width, height);
  for (const side of THUMBS) {
    // Slack makes no picture larger; the 360 one is always there.
    if (side > 360 && side > longest) continue;
    const scale = Math.min(1, side / longest);
    fields[`thumb_${side}`] = `${place}/thumb_${side}`;
    fields[`thumb_${side}_w`] = Math.max(1, Math.round(width * scale));
    fields[`thumb_${side}_h`] = Math.max(1, Math.round(height * scale));
  }
  return fields;
}

/** The same with where it is shown: files.info, files.list. */
export function fileWithShares(workspace: Workspace, baseUrl: string, file: StoredFile) {
  const shown = { public: {}, private: {} } as Record<'public' | 'private', Record<string, JsonObject[]>>;
  const kinds = { channel: new Set<string>(), group: new Set<string>(), im: new Set<string>() };
  for (const share of file.shares) {
    const channel = workspace.directory.channels.get(share.channel);
    if (!channel) continue;
    const isPublic = channel.kind === 'channel';
    const list = (shown[isPublic ? 'public' : 'private'][channel.id] ??= []);
    list.push(shareObject(workspace, file, channel, share));
    kinds[channel.kind === 'mpim' ? 'group' : channel.kind].add(channel.id);
  }
  return {
    ...fileObject(workspace, baseUrl, file),
    shares: {
      ...(Object.keys(shown.public).length > 0 ? { public: shown.public } : {}),
      ...(Object.keys(shown.private).length > 0 ? { private: shown.private } : {}),
    },
    channels: [...kinds.channel],
    groups: [...kinds.group],
    ims: [...kinds.im],
    comments_count: 0,
  };
}

function shareObject(
  { directory }: Workspace,
  file: StoredFile,
  channel: Channel,
  { ts, threadTs }: FileShare,
): JsonObject {
  return {
    reply_users: [],
    reply_users_count: 0,
    reply_count: 0,
    ts,
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    channel_name: channel.name,
    team_id: directory.team.id,
    share_user_id: file.user_id,
    source: 'UNKNOWN',
    is_silent_share: false,
  };
}

/**
 * A message in an event: in channels shared with other organisations it has only the ids of files; files.info has the
 * rest (docs.slack.dev/apis/slack-connect, "check_file_info").
 */
export function pushedContent(content: MessageContent, channel: Channel): MessageContent {
  if (!isExtShared(channel) || content.files === undefined) return content;
  return {
    ...content,
    files: content.files.map((file) =>
      file['mode'] === 'tombstone' ? file : { id: file.id, file_access: 'check_file_info' },
    ),
  };
}
