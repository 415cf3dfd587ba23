import { expect, test } from 'vitest';

import { COMMANDS } from '../../src/bridge/tickets/command-rules.ts';
import { codesIn, rowsUnder } from './documents.ts';

test('docs/rules.md has the syntax of each command and its other names, and no other command (B32)', () => {
  const shown = rowsUnder('docs/rules.md', 'Commands').flatMap(([cell = '']) =>
    codesIn(cell.replaceAll(String.raw`\|`, '|')),
  );
  const known = Object.values(COMMANDS).flatMap((command) => [
    command.form,
    ...('also' in command ? command.also : []),
  ]);
  expect(shown.toSorted()).toEqual(known.toSorted());
});
