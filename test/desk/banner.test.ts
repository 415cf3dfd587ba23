import path from 'node:path';

import { expect, test } from 'vitest';

import { banner, dataText } from '../../src/commands/serve.ts';

const STARTED = { apiKey: 'dbk_1', stop: () => Promise.resolve() };
const CONFIG = { COMMAND: '/ticket', DATA_DIR: './data' };
const urls = { desk: 'http://127.0.0.1:8080', api: 'http://127.0.0.1:8080/api' };

test('the banner of npm start shows the desk’s URL, the sign-in link with whom it signs in, and the API key', () => {
  const signInLink = { url: 'http://127.0.0.1:8080/auth/link?code=x', name: 'Mira Lind (mira@acme.example)' };
  const text = banner({ ...STARTED, urls, signInLink }, CONFIG);
  expect(text).toContain(
    `  Desk      ${urls.desk}\n  Sign in   ${signInLink.url}\n            as ${signInLink.name}, once, within ten minutes\n`,
  );
  expect(text).toContain('  API key   dbk_1\n');
});

test('without an admin, the banner says how to become one', () => {
  const text = banner({ ...STARTED, urls }, CONFIG);
  expect(text).toContain('  Sign in   with the link of `npx deskbridge people sign-in-link <e-mail>`\n');
});

test.each([
  [{ DATA_DIR: './data' }, 'Data is in ./data.'],
  [{ DATA_DIR: path.resolve('data') }, 'Data is in ./data.'],
  [{ DATA_DIR: '/var/lib/deskbridge' }, 'Data is in /var/lib/deskbridge.'],
  [{ DATA_DIR: './data', DATABASE_URL: 'postgres://x' }, 'Data is in the database at DATABASE_URL.'],
])('a stopped program says where its data is: %j', (config, expected) => {
  expect(dataText(config)).toBe(expected);
});
