import { h, safeUrl } from './dom.ts';
import { icon } from './icons.ts';
import type { MessageFile } from './types.ts';

/** The files of a message: images are shown, other files are cards with a link. */
export function drawFiles(files: MessageFile[] = []): HTMLElement | undefined {
  if (files.length === 0) return undefined;
  return h('div.files', files.map(drawFile));
}

function drawFile(file: MessageFile): HTMLElement {
  if (file.mode === 'tombstone') return h('div.file.gone', 'This file was deleted.');
  const url = file.is_external ? safeUrl(file.url_private) : `/_control/files/${encodeURIComponent(file.id)}`;
  const name = file.title || file.name || file.id;
  if (url && /^image\/(png|jpeg|gif|webp)$/.test(file.mimetype ?? ''))
    return h(
      'a.file.picture',
      { href: url, target: '_blank', rel: 'noreferrer noopener', title: name },
      h('img', { src: url, alt: file.alt_txt || name, loading: 'lazy' }),
    );
  return h(
    'a.file',
    { href: url, target: '_blank', rel: 'noreferrer noopener' },
    icon('file'),
    h(
      'span',
      h('strong', name),
      h(
        'small',
        [file.pretty_type ?? file.filetype ?? file.mimetype, sizeOf(file.size)].filter(Boolean).join(' · '),
      ),
    ),
  );
}

function sizeOf(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
