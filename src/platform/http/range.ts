/** Bytes `from` to `to`, both included. */
export interface Range {
  from: number;
  to: number;
}

/**
 * Returns the one range of a header (RFC 9110, 14); undefined if it asks for none or several, which are answered with
 * the whole.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (from >= size || (first === '' && last === '0')) return 'unsatisfiable';
  return from > to ? undefined : { from, to };
}
