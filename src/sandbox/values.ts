/**
 * Returns a value without characters that databases reject: NUL and lone surrogates become U+FFFD, in nested objects
 * and arrays and in field names. Everything from an app passes here.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner)]),
  );
}

export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

const LONGEST_TEXT = 2_000;
const MOST_ITEMS = 50;
const BUDGET = 20_000;
const SECRET_NAME = /^(token|access_token|refresh_token|client_secret|signing_secret|bot_access_token)$/i;
const SECRET = /\b(xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[\w-]+/g;

/**
 * A copy of something that was sent, small enough to be kept (about 20,000 characters, long texts and lists cut short)
 * and without tokens.
 */
export function clipped(value: unknown): unknown {
  let left = BUDGET;
  const clip = (part: unknown, depth: number): unknown => {
    if (left <= 0 || depth > 20) return '…';
    if (typeof part === 'string') {
      const text = part.replaceAll(SECRET, '$1-…');
      const kept = text.slice(0, Math.min(LONGEST_TEXT, left));
      left -= kept.length;
      return kept.length < text.length ? `${kept}… (${part.length} characters)` : kept;
    }
    left -= 8;
    if (Array.isArray(part)) {
      const kept = part.slice(0, MOST_ITEMS).map((item) => clip(item, depth + 1));
      return part.length > MOST_ITEMS ? [...kept, `… (${part.length} items)`] : kept;
    }
    if (typeof part !== 'object' || part === null) return part;
    const entries: [string, unknown][] = [];
    for (const [name, item] of Object.entries(part)) {
      if (left <= 0 || entries.length === MOST_ITEMS) {
        entries.push(['…', '…']);
        break;
      }
      left -= name.length;
      entries.push([name.slice(0, LONGEST_TEXT), SECRET_NAME.test(name) ? '…' : clip(item, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };
  return clip(value, 0);
}
