import { expect, test } from 'vitest';

import { banner } from '../../src/commands/serve.ts';

test('the banner of npm start shows the desk’s URL with the key that opens it', () => {
  const text = banner(
    { urls: { desk: 'http://127.0.0.1:8080' }, apiKey: 'dbk_1', stop: () => Promise.resolve() },
    { COMMAND: '/ticket' },
  );
  expect(text).toMatch(/^ {2}Desk {6}http:\/\/127\.0\.0\.1:8080\n {2}API key {3}dbk_1$/m);
});
