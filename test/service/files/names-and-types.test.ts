import { expect, test } from 'vitest';
import sharp from 'sharp';

import { attachmentNamed } from '../../../src/platform/http/index.ts';
import { fileType } from '../../../src/service/files/file-type.ts';
import { cleanName } from '../../../src/service/files/name.ts';

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\temp\\a.png', 'a.png'],
  ['photo\u202Egnp.exe', 'photognp.exe'],
  ['a\u0000b\r\nc.txt', 'abc.txt'],
  ['a<b>|"?.pdf', 'a_b____.pdf'],
  ['..', 'file'],
  ['.htaccess', '.htaccess'],
  ['.env', '.env'],
  ['.env.local', '.env.local'],
  ['..env', '.env'],
  [' .gitignore ', '.gitignore'],
  ['/home/ada/.ssh/.config', '.config'],
  ['\u202E.env', '.env'],
  ['.', 'file'],
  [' . ', 'file'],
  ['a.', 'a'],
  ['', 'file'],
  ['Übersicht 2026.png', 'Übersicht 2026.png'],
])('the name %j becomes %j', (given, clean) => {
  expect(cleanName(given)).toBe(clean);
});

test('a name has at most 255 bytes and keeps its extension', () => {
  const name = cleanName(`${'ü'.repeat(400)}.png`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name).toMatch(/^ü+\.png$/);
});

test('the header of a download has the name twice, and nothing that ends it early', () => {
  expect(attachmentNamed(`a"b'ü.png`)).toBe(
    `attachment; filename="a_b'_.png"; filename*=UTF-8''a%22b%27%C3%BC.png`,
  );
});

test.each([
  ['a page', Buffer.from('<html><script>alert(1)</script>'), 'text/plain'],
  ['a drawing with scripts', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text/plain'],
  ['a document', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
  ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 'application/octet-stream'],
  ['an archive', Buffer.from('PK\u0003\u0004\0\0', 'latin1'), 'application/octet-stream'],
  ['nothing', Buffer.alloc(0), 'application/octet-stream'],
])('%s is served as a type that no browser executes', (_what, bytes, type) => {
  expect(fileType(bytes)).toEqual({ type, width: null, height: null });
});

test('the size of every kind of image is read from its header', async () => {
  const image = sharp({ create: { width: 300, height: 200, channels: 3, background: '#123456' } });
  for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
    const bytes = await image.clone().toFormat(format).toBuffer();
    expect(fileType(bytes)).toEqual({ type: `image/${format}`, width: 300, height: 200 });
    expect(fileType(bytes.subarray(0, 8)).width).toBeNull();
  }
  const lossless = await image.clone().webp({ lossless: true }).toBuffer();
  expect(fileType(lossless)).toMatchObject({ width: 300, height: 200 });
});
