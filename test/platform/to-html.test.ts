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

const line = (name: string, more = ' (image/png, 1 kB)') =>
  `[${name}](<https://acme.slack.com/files/U1/F1/${encodeURIComponent(name)}>)${more}`;

test.each<[what: string, text: string, files: string[], left: string]>([
  ['its line', `look\n\n${line('a.png')}`, ['a.png'], '<p>look</p>'],
  ['each line', `look\n\n${line('a.png')}\n\n${line('b.pdf')}`, ['b.pdf', 'a.png'], '<p>look</p>'],
  ['a line alone', line('a.png'), ['a.png'], ''],
  ['a line without facts', `look\n\n${line('a.png', '')}`, ['a.png'], '<p>look</p>'],
  ['a name that the service cleaned', `look\n\n${line('a: b?.png')}`, ['a_ b_.png'], '<p>look</p>'],
  ['of two files of one name both', `${line('a.png')}\n\n${line('a.png')}`, ['a.png', 'a.png'], ''],
])('of a message’s files that are shown below it, %s is left out', (_, text, files, left) => {
  expect(markdownToHtml(text, { files })).toBe(left);
});

test.each<[what: string, text: string, files: string[]]>([
  ['no file is shown', `look\n\n${line('a.png')}`, []],
  ['another file is shown', `look\n\n${line('a.png')}`, ['b.png']],
  ['one of two files of that name is shown', `${line('a.png')}\n\n${line('a.png')}`, ['a.png']],
  ['words follow', `${line('a.png')}\n\nlook`, ['a.png']],
  ['the line has other words', `see ${line('a.png')}`, ['a.png']],
  ['the link leads elsewhere', '[a.png](https://files.example/a.png) (image/png, 1 kB)', ['a.png']],
  ['the line is quoted', `> ${line('a.png')}`, ['a.png']],
])('a line of a file stays where %s', (_, text, files) => {
  expect(markdownToHtml(text, { files })).toBe(markdownToHtml(text));
});
