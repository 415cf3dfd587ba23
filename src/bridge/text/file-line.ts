import type { FileState } from '../slack/file-rules.ts';

const WHY_NOT: Record<Exclude<FileState, 'shown' | 'outside' | 'ask'>, string> = {
  deleted: 'deleted in chat',
  hidden: 'hidden by chat, whose storage is full',
  unseen: 'chat does not show it to this app',
};

/**
 * Returns one line of Markdown for a file: its name as a link to Slack's own page, with type and size, or its name and
 * why there is no more (B18). The link requires Slack's login; URLs of the bytes are never forwarded.
 */
export function fileLine(
  file: { name: string; mimetype: string; bytes: number; permalink: string },
  state: Exclude<FileState, 'ask'>,
): string {
  const label =
    file.name
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll(/[\\`*_~[\]<>&!]/g, '\\$&') || 'a file';
  if (state !== 'shown' && state !== 'outside') return `${label} (${WHY_NOT[state]})`;
  const facts = [
    file.mimetype,
    state === 'outside' ? 'kept outside of chat' : file.bytes > 0 ? sizeText(file.bytes) : '',
  ].filter(Boolean);
  const link = /^https?:\/\/[^\s<>]+$/.test(file.permalink) ? `[${label}](<${file.permalink}>)` : label;
  return facts.length > 0 ? `${link} (${facts.join(', ')})` : link;
}

/** Formats a size; `bytes` may be 0. */
export function sizeText(bytes: number): string {
  return bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} kB`;
}
