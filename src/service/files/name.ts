import { LIMITS } from '../../contract/index.ts';
import { endingOf } from '../../platform/text/file-ending.ts';

/** Control characters, and those that are invisible or turn the direction of a text (`photo\u202Egnp.exe`). */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;
const NOT_IN_NAMES = /[/\\:*?"<>|]/g;
/** A longer name keeps only its end, which has the extension. */
const MOST_CHARACTERS = 1_000;
const EXTENSION = /\.[\p{L}\p{N}_-]{1,16}$/u;

/**
 * Returns the name of a file without what could mislead people or programs, at most 255 bytes; keeps its extension, and
 * the dot of a name such as `.env`. A file without a name becomes `file`, with the extension of its type.
 * @param type as its bytes say.
 */
export function cleanName(given: string, type = ''): string {
  const base = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const clean = base
    .slice(-MOST_CHARACTERS)
    .normalize('NFC')
    .replace(INVISIBLE, '')
    .replace(NOT_IN_NAMES, '_')
    .replace(/\s+/g, ' ')
    .replace(/[. ]+$/, '')
    .replace(/^ +/, '')
    .replace(/^\.[. ]*/, '.');
  const extension =
    clean.startsWith('.') && !clean.includes('.', 1) ? '' : (EXTENSION.exec(clean)?.[0] ?? '');
  const stem = clean.slice(0, clean.length - extension.length);
  if (stem === '' || stem === '.') return `file${extension || endingOf(type)}`;
  return `${cutToBytes(stem, LIMITS.files.name - Buffer.byteLength(extension))}${extension}`;
}

function cutToBytes(text: string, bytes: number): string {
  let kept = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}
