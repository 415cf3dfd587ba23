import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';

import { toCsv } from '../../src/platform/text/csv.ts';

test('a CSV file says that it is UTF-8, and every field comes back as it was', () => {
  const rows = [
    ['Investigación Suárez', 'a,b', 'say "hi"', 'two\r\nlines'],
    ['🎫', 'a;b', '', ' spaces '],
  ];
  const text = toCsv(rows);
  expect(text.startsWith('\uFEFF')).toBe(true);
  expect(parse(text, { bom: true })).toEqual(rows);
});

test.for(['=1+1', '+49 30 123', '-5', '@SUM(A1)', ' =1+1', '\t=1+1', '\r=1+1', '＝1+1'])(
  'a field that a spreadsheet would run, %j, is shown as text',
  (value) => {
    const [[field = ''] = []] = parse(toCsv([[value]]), { bom: true, relax_quotes: false });
    expect(field).toBe(`'${value}`);
  },
);

test('a field with the list separator of another language does not fall apart into a formula', () => {
  const [row] = parse(toCsv([['a;=1+1', 'b']]).replace('","', '";"'), { bom: true, delimiter: ';' });
  expect(row).toEqual(['a;=1+1', 'b']);
});
