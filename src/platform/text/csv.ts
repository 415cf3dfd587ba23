/** Excel takes a file without this mark for one in the computer's old code page, and garbles what is not English. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A table as CSV (RFC 4180), as spreadsheets open it. Every field is quoted: where the list separator is a semicolon, a
 * field with one would fall apart, and what follows could be taken for a formula. A field that begins like a formula
 * gets an apostrophe before it, which a spreadsheet shows as text.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string): string {
  const text = /^\s*[=+\-@＝＋－＠]/.test(value) || /^[\t\r]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
