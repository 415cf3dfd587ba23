import { filesOf, rowsUnder } from './documents.ts';

/** A rule of docs/chat-rules.md, and the names of the tests that bear its number. */
export interface Rule {
  rule: string;
  /** Undefined where the page does not say it. */
  today: string | undefined;
  tests: { name: string; file: string }[];
}

/** The tests of test/docs speak of rules as examples. */
export function rulesAndTests(): Rule[] {
  const tests = [...filesOf('test/**/*.test.ts')]
    .filter(([file]) => !file.startsWith('test/docs/'))
    .flatMap(([file, text]) => quoted(text).map((name) => ({ name, file })));
  return rowsUnder('docs/chat-rules.md')
    .filter(([rule = '']) => /^B\d+a?$/.test(rule))
    .map(([rule = '', , today = '']) => ({
      rule,
      today: /^(now|built|later)\b/.exec(today)?.[1],
      tests: tests.filter(({ name }) => name.match(/\bB\d+a?\b/g)?.includes(rule)),
    }));
}

/** What stands between quotes: the names of tests, of groups of them, and of rows of tables. */
function quoted(text: string): string[] {
  return [...text.matchAll(/'([^'\n]*)'|`([^`\n]*)`/g)].map(([, one, other]) => one ?? other ?? '');
}
