/**
 * A parameter of a content disposition; a quoted value that does not end takes all the rest, so that the header is read
 * once.
 */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^;"]*))/gsy;
/** A value with its encoding (https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1). */
const EXTENDED = /^([\w-]+)'[^']*'((?:[^%'"\s]|%[\da-f]{2})+)$/i;

/**
 * Returns the file's name as the parameter `filename*` of a content disposition gives it; undefined if it has none that
 * can be read. It comes before `filename`, wherever either stands: that one is for programs that do not know it
 * (https://www.rfc-editor.org/rfc/rfc6266#section-4.3).
 */
export function extendedName(disposition: string): string | undefined {
  const begin = disposition.indexOf(';');
  if (begin < 0) return undefined;
  PARAMETER.lastIndex = begin;
  for (let found = PARAMETER.exec(disposition); found; found = PARAMETER.exec(disposition)) {
    const [, name = '', quoted, plain = ''] = found;
    const value = name.toLowerCase() === 'filename*' ? decodeExtended(quoted ?? plain.trim()) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = EXTENDED.exec(value) ?? [];
  if (encoded === '') return undefined;
  const bytes = encoded.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    // An encoding that nobody knows, or bytes that are not in it: then the other name counts.
    return undefined;
  }
}
