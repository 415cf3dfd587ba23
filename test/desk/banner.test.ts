import { expect, test } from 'vitest';

import { banner } from '../../src/commands/serve.ts';

const STARTED = { apiKey: 'dbk_1', stop: () => Promise.resolve() };
const urls = { desk: 'http://127.0.0.1:8080', api: 'http://127.0.0.1:8080/api' };

test('the banner of npm start shows the desk’s URL, the sign-in link and the API key', () => {
  const signInLink = 'http://127.0.0.1:8080/auth/link?code=x';
  const text = banner({ ...STARTED, urls, signInLink }, { COMMAND: '/ticket' });
  expect(text).toContain(`  Desk      ${urls.desk}\n  Sign in   ${signInLink}  (once, within ten minutes)\n`);
  expect(text).toContain('  API key   dbk_1\n');
});

test('without an admin, the banner says how to become one', () => {
  const text = banner({ ...STARTED, urls }, { COMMAND: '/ticket' });
  expect(text).toContain('  Sign in   with the link of `deskbridge people sign-in-link <e-mail>`\n');
});
