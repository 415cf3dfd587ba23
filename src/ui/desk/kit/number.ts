/** Characters that only group digits: spaces of several widths and apostrophes. */
const GROUPS_ONLY = /(?<=\d)[\s’'_](?=\d{3}(?!\d))/g;

/** The sign that a language writes before a fraction. */
function decimalSignOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5);
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
}

/**
 * Reads a number as people type it: with either decimal sign, with or without groups of thousands. Only one text has
 * two readings, a single sign before exactly three digits (`1,000`): there the reader's language decides, as everywhere
 * in the browser.
 * @returns undefined if it is no number.
 */
export function readNumber(text: string, locale = navigator.language): number | undefined {
  const typed = text.trim().replace(/^[−–]/, '-').replaceAll(GROUPS_ONLY, '');
  const [, sign = '', digits = ''] = /^([-+]?)([\d.,]*\d)$/.exec(typed) ?? [];
  if (digits === '') return undefined;
  const decimal = decimalOf(digits, locale);
  if (decimal === undefined) return undefined;
  const group = decimal === '.' ? ',' : '.';
  const [whole = '', fraction] = digits.split(decimal);
  if (whole.includes(group) && !/^\d{1,3}([.,]\d{3})+$/.test(whole)) return undefined;
  return Number(`${sign}${whole.replaceAll(group, '') || '0'}.${fraction ?? '0'}`);
}

/** The sign before the fraction; undefined if the signs make no number. */
function decimalOf(digits: string, locale: string): '.' | ',' | undefined {
  const signs = digits.match(/[.,]/g) ?? [];
  const [first, last] = [signs[0], signs.at(-1)];
  if (last === undefined) return '.';
  const other = last === '.' ? ',' : '.';
  // Both signs: the one that comes last, and only once, is before the fraction.
  if (first !== last)
    return signs.filter((sign) => sign === last).length === 1 ? (last as '.' | ',') : undefined;
  // The same sign again and again: thousands.
  if (signs.length > 1) return other;
  const isAmbiguous = /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits);
  if (!isAmbiguous) return last as '.' | ',';
  return decimalSignOf(locale) === last ? (last as '.' | ',') : other;
}
