import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../src/desk/page');
const modules = new Map(
  globSync('**/*.js', { cwd: root }).map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);

const namesIn = (list: string) => list.split(',').flatMap((each) => each.trim().split(' as ')[0] || []);

function exportsOf(text: string): Set<string> {
  const declared = text.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm);
  const listed = text.matchAll(/^export \{([^}]*)\} from/gm);
  return new Set([
    ...[...declared].map(([, name = '']) => name),
    ...[...listed].flatMap(([, names = '']) => namesIn(names)),
  ]);
}

test('every name that a module of the desk’s page imports is exported there; a missing one leaves the page empty', () => {
  const missing = [...modules].flatMap(([file, text]) =>
    [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(([, names = '', from = '']) => {
      const target = path.posix.join(path.posix.dirname(file), from);
      const offered = exportsOf(modules.get(target) ?? '');
      return namesIn(names)
        .filter((name) => !offered.has(name))
        .map((name) => `${file} imports ${name} from ${target}`);
    }),
  );
  expect(missing).toEqual([]);
  expect(modules.size).toBeGreaterThan(40);
});
