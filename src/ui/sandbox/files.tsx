import { File } from 'lucide-react';

import { safeUrl } from './safe-url.ts';
import type { MessageFile } from './types.ts';

/** The files of a message: images are shown, other files are cards with a link. */
export function Files({ files = [] }: { files?: MessageFile[] | undefined }) {
  if (files.length === 0) return null;
  return (
    <div className="files">
      {files.map((file) => (
        <OneFile key={file.id} file={file} />
      ))}
    </div>
  );
}

function OneFile({ file }: { file: MessageFile }) {
  if (file.mode === 'tombstone') return <div className="file gone">This file was deleted.</div>;
  const url = file.is_external ? safeUrl(file.url_private) : `/_control/files/${encodeURIComponent(file.id)}`;
  const name = file.title || file.name || file.id;
  if (url && /^image\/(png|jpeg|gif|webp)$/.test(file.mimetype ?? ''))
    return (
      <a className="file picture" href={url} target="_blank" rel="noreferrer noopener" title={name}>
        <img src={url} alt={file.alt_txt || name} loading="lazy" />
      </a>
    );
  const facts = [file.pretty_type ?? file.filetype ?? file.mimetype, sizeOf(file.size)].filter(Boolean);
  return (
    <a className="file" href={url} target="_blank" rel="noreferrer noopener">
      <File size={26} aria-hidden />
      <span>
        <strong>{name}</strong>
        <small>{facts.join(' · ')}</small>
      </span>
    </a>
  );
}

function sizeOf(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
