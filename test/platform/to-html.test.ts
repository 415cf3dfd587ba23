import { expect, test } from 'vitest';

import { markdownToHtml } from '../../src/platform/text/to-html.ts';

test('URLs in a text are links, without the end of the sentence or the brackets around them', () => {
  const link = (url: string) => `<a href="${url}" rel="noopener noreferrer nofollow">${url}</a>`;
  expect(markdownToHtml('See https://acme.example/a?b=1&c=2, please (or https://acme.example/x).')).toBe(
    `<p>See ${link('https://acme.example/a?b=1&amp;c=2')}, please (or ${link('https://acme.example/x')}).</p>`,
  );
});

test('a URL in code or in a link’s own words is no further link', () => {
  expect(markdownToHtml('`https://acme.example`')).toBe('<p><code>https://acme.example</code></p>');
  expect(markdownToHtml('[https://acme.example](https://acme.example/in)')).toBe(
    '<p><a href="https://acme.example/in" rel="noopener noreferrer nofollow">https://acme.example</a></p>',
  );
});

test('what is not on the web is no link', () => {
  expect(markdownToHtml('javascript:alert(1) ftp://acme.example')).not.toContain('<a');
});
