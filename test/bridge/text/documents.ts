import fc from 'fast-check';

import { anyText } from '../../harness/any-text.ts';

/** The users of the documents below: U1 has a user on the service, U2 has none, all others are unknown. */
export const names = {
  user: (id: string) => ({ U1: { name: 'Ada Reyes', userId: 'usr_1' }, U2: { name: 'Guest' } })[id],
  channel: (id: string) => ({ C1: 'it-help' })[id],
};
export const chatUserOf = (id: string) => (id === 'usr_1' ? 'U1' : undefined);

/** Texts that once failed here, in similar chats, or in Markdown parsers. */
export const TEXTS = [
  'if (a < b && c > d) { return <T>x; }',
  '<!channel> <!here> <!everyone> <!subteam^S1> <@U1> <#C1|x> <https://x.example|y>',
  '@channel @here @everyone @Ada Reyes',
  '[@Ada Reyes](user:usr_1)',
  'ada@example.com and @ada@social.example, www.example.com, https://example.com/a_b*c',
  '1. not a list\n- nor this\n# nor a heading\n> nor a quote\n+ x\n---\n===',
  '* a *b* _c_ __d__ ~~e~~ ~f~ `g` ``h`` ***i***',
  'snake_case_name and 2*3*4 = 24',
  '👋🏽 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 e\u0301 \u200d\u200b',
  'שלום עולם \u200f(abc)\u200e مرحبا',
  '\ud800 lone \udc00 halves',
  '***i***\u{10fffe} is no character',
  'nul \0 bell \u0007 escape \u001b[31m',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  '&amp; &lt;b&gt; &#64;channel &nbsp;',
  '<b onclick="x()">html</b> <!-- comment --> <script>alert(1)</script>',
  '[x]: https://x.example\n\n[x] [^1]\n\n[^1]: note',
  '\\ \\\\ \\* trailing\\',
  '```\nnot closed',
  '    indented\n\ttab',
  '☐ open\n☑ done [ ] [x]',
  '::: :wave: :no_such_emoji: 10:30:45',
  '-'.repeat(60),
  '='.repeat(80),
  '!'.repeat(300),
  '~'.repeat(250),
  ' \u00a0 ',
  '',
  '> **https://\u{33cba}*@channel @here @everyone @Ada Reyes**',
  '1. ![](https://x.example/a.png)\n\n```js\n\n```\n\n1. [](https://x.example)',
  '- \n\n>\n- ****',
  '1. \n#\n1. x',
  '𳑺****i***\uFFFD is no character***i***\uFFFD is no character',
  '| a |\n| - |\n| [~~https://~\n\n](https://x.example) |',
  '**, ```\nnot closed** | **```**',
  '\u{e0001}\u200b',
];

const SYNTAX = [
  '*',
  '**',
  '_',
  '__',
  '~~',
  '~',
  '`',
  '```',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '&',
  '\\',
  '!',
  '|',
  '#',
];
const words = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'bc', 'Straße', '漢字', '1', ' ', ', ', '. ', '\n', '\n\n') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...SYNTAX, '- ', '1. ', '@', ':', 'https://', 'www.', '"', '-', '+', '='),
  },
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS.filter((words) => words.length < 70)) },
  { weight: 1, arbitrary: anyText({ maxLength: 6 }) },
);
export const text = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(''));

const style = fc.option(
  fc.record(
    { bold: fc.boolean(), italic: fc.boolean(), strike: fc.boolean(), code: fc.boolean() },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const url = fc.constantFrom(
  'https://x.example/a_b?c=(d)&e=[f]',
  'mailto:ada@example.com',
  'javascript:alert(1)',
  'user:usr_1',
  'https://x.example/ space',
  'data:text/html,x',
);
const inline = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('text'), text, style }) },
  fc.record({ type: fc.constant('link'), url, text: fc.option(text, { nil: undefined }), style }),
  fc.record({ type: fc.constant('user'), user_id: fc.constantFrom('U1', 'U2', 'U9'), style }),
  fc.constantFrom<object>(
    { type: 'channel', channel_id: 'C1' },
    { type: 'usergroup', usergroup_id: 'S1' },
    { type: 'broadcast', range: 'channel' },
    { type: 'emoji', name: 'wave', unicode: '1f44b-1f3fd' },
    { type: 'emoji', name: 'shipit' },
    { type: 'color', value: '#ff0000' },
    { type: 'date', timestamp: 1_700_000_000, format: '{date}', fallback: 'then' },
    { type: 'team', team_id: 'T1' },
  ),
);
const inlines = fc.array(inline, { maxLength: 6 });
const section = inlines.map((elements) => ({ type: 'rich_text_section', elements }));
const element = fc.oneof(
  { weight: 3, arbitrary: section },
  inlines.map((elements) => ({ type: 'rich_text_quote', elements })),
  text.map((code) => ({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: code }] })),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('rich_text_list'),
      style: fc.constantFrom('bullet', 'ordered'),
      indent: fc.integer({ min: 0, max: 8 }),
      offset: fc.integer({ min: 0, max: 20 }),
      elements: fc.array(section, { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** Texts that a person can write in chat, and rich text that an app can send. */
export const richText = fc
  .array(element, { maxLength: 6 })
  .map((elements) => ({ text: '', blocks: [{ type: 'rich_text', elements }] }));

const line = fc.oneof(
  text,
  text.map((label) => `[${label}](https://x.example)`),
  text.map((label) => `[@${label}](user:usr_1)`),
  text.map((label) => `![${label}](https://x.example/a.png)`),
  text.map((label) => `**${label}**`),
);
const markdownBlock = fc.oneof(
  line,
  line.map((words) => `# ${words}`),
  line.map((words) => words.replaceAll(/^/gm, '> ')),
  text.map((code) => `\`\`\`js\n${code}\n\`\`\``),
  fc
    .array(fc.tuple(fc.nat({ max: 5 }), fc.constantFrom('- ', '1. ', '3) ', '* [x] ', '- [ ] '), line), {
      maxLength: 6,
    })
    .map((items) => items.map(([deep, mark, words]) => `${'   '.repeat(deep)}${mark}${words}`).join('\n')),
  fc
    .array(fc.tuple(line, line), { minLength: 1, maxLength: 4 })
    .map((rows) => ['| a | b |', '| - | - |', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n')),
  fc.constantFrom('---', '<div>x</div>', '[ref]\n\n[ref]: user:usr_1', '<user:usr_1>', '***'),
);

/** Texts that an agent or a program may put on a ticket. */
export const markdown = fc.array(markdownBlock, { maxLength: 6 }).map((blocks) => blocks.join('\n\n'));
