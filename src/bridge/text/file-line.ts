import type { FileState } from '../slack/file.ts';

/** Why the bridge cannot show a file. */
const UNAVAILABLE: Record<Exclude<FileState, 'shown' | 'outside' | 'ask'>, string> = {
  deleted: 'deleted in Slack',
  hidden: 'hidden by Slack, whose storage is full',
  unseen: 'Slack does not show it to this app',
};

/**
 * Returns one line of Markdown for a file: its name as a link to Slack's page of it, with type and size, or its name
 * and the reason why it is not available (B18). The link requires a Slack login; URLs of the bytes are never forwarded.
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
  if (state !== 'shown' && state !== 'outside') return `${label} (${UNAVAILABLE[state]})`;
  const facts = [
    file.mimetype,
    state === 'outside' ? 'kept outside Slack' : file.bytes > 0 ? sizeText(file.bytes) : '',
  ].filter(Boolean);
  const link = /^https?:\/\/[^\s<>]+$/.test(file.permalink) ? `[${label}](<${file.permalink}>)` : label;
  return facts.length > 0 ? `${link} (${facts.join(', ')})` : link;
}

/** Formats a size in bytes: `12 kB`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  return bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} kB`;
}
