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

/** What a browser may show without running any of it. */
export function isPicture({ mimetype }: FileKind): boolean {
  return /^image\/(png|jpeg|gif|webp|bmp)$/.test(mimetype);
}
