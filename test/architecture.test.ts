import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { REASONS } from '../src/bridge/features/delivery-status/rules.ts';
import { rowsUnder } from './docs/documents.ts';
import { cycles, importsOf, importsOfFeatures } from './imports.ts';

const root = path.resolve(import.meta.dirname, '..');
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root });
const tests = globSync('test/**/*.ts', { cwd: root });
const text = new Map(
  [...sources, ...tests].map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);

/** The modules that a module may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  client: ['contract'],
  platform: [],
  service: ['contract', 'platform'],
  bridge: ['contract', 'client', 'platform'],
  sandbox: ['platform'],
  desk: ['contract', 'client', 'platform'],
  ui: ['contract', 'platform'],
};
/** Modules that others may only import through their public API. */
const BY_INDEX_ONLY = ['contract', 'client', 'service', 'bridge', 'sandbox', 'desk', 'ui'];

/** Commands that do not load the bridge use its paths, and pages what needs no zod: the rest of the contract brings it. */
const isFace = (room: string, target: string) =>
  target === `src/${room}/index.ts` || target === 'src/bridge/paths.ts' || PURE.has(target);
/** What pages use of the text functions. */
const OF_PAGES = new Set(['to-html', 'csv', 'mrkdwn'].map((name) => `src/platform/text/${name}.ts`));
/** Modules of the contract that import nothing at run time. */
const PURE = new Set([
  'src/contract/blank.ts',
  'src/contract/cut.ts',
  'src/contract/expected-reply.ts',
  'src/contract/form/asked.ts',
  'src/contract/saved/canned-reply-text.ts',
]);

/**
 * The command line and the code that starts programs are not modules: they may start any module through its
 * public API.
 */
const roomOf = (file: string) => {
  const [, room, rest] = file.split('/');
  return rest === undefined || ['commands', 'start'].includes(room ?? '') ? undefined : room;
};

const filesWith = (files: readonly string[], pattern: RegExp, except: (file: string) => boolean) =>
  files.filter(
    (file) => !except(file) && pattern.test((text.get(file) ?? '').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')),
  );

/** The folder of a file of a module; a file beside the folders is one of its own, and so is each feature of the bridge. */
function folderOf(file: string, module: string): string {
  const [first = '', second] = path.posix.relative(module, file).split('/');
  return first === 'features' && second !== 'index.ts' ? `features/${second ?? ''}` : first;
}

/** Which folders of a module use values of which others. */
function folderUses(module: string): Map<string, Set<string>> {
  const uses = new Map<string, Set<string>>();
  for (const file of sources.filter((one) => one.startsWith(`${module}/`)))
    for (const { target, isType } of importsOf(file, text.get(file))) {
      if (isType || !target?.startsWith(`${module}/`)) continue;
      const [from, to] = [folderOf(file, module), folderOf(target, module)];
      if (to !== from) uses.set(from, (uses.get(from) ?? new Set()).add(to));
    }
  return uses;
}

/** The rows of the table of folders under a heading of docs/architecture.md, each with its folders. */
function rowsOfFolders(heading: string): string[][] {
  return rowsUnder('docs/architecture.md', heading).map(([folders = '']) =>
    [...folders.matchAll(/`([a-z-]+)\/`/g)].map(([, name]) => name ?? ''),
  );
}

describe('module boundaries', () => {
  test('a module imports only the modules listed for it, and only through their index', () => {
    const broken: string[] = [];
    for (const file of sources) {
      const room = roomOf(file);
      for (const { target } of importsOf(file, text.get(file))) {
        if (target === undefined) continue;
        const other = roomOf(target);
        if (other === room) continue;
        if (room !== undefined && (other === undefined || !MAY_IMPORT[room]?.includes(other)))
          broken.push(`${file} imports ${target}`);
        else if (other !== undefined && BY_INDEX_ONLY.includes(other) && !isFace(other, target))
          broken.push(`${file} goes round ${other}/index.ts to ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('contract and settings import no external package but zod', () => {
    const outside = sources
      .filter((file) => roomOf(file) === 'contract' || /^src\/start\/(config|settings)\.ts$/.test(file))
      .flatMap((file) => importsOf(file, text.get(file)).map(({ specifier }) => specifier))
      .filter((specifier) => !specifier.startsWith('.') && specifier !== 'zod');
    expect(outside).toEqual([]);
  });

  test('pages import the contract as types, or what imports nothing, the one reader of Markdown, the one of mrkdwn and the one writer of CSV: zod stays out of them', () => {
    const broken = sources
      .filter((file) => roomOf(file) === 'ui')
      .flatMap((file) =>
        importsOf(file, text.get(file))
          .filter(
            ({ target, isType }) =>
              target !== undefined &&
              roomOf(target) !== 'ui' &&
              !isType &&
              !PURE.has(target) &&
              !OF_PAGES.has(target),
          )
          .map(({ target }) => `${file} imports ${target ?? ''}`),
      );
    const impure = [...PURE].filter((file) => importsOf(file, text.get(file)).some(({ isType }) => !isType));
    // What a page loads of the text functions runs in browsers.
    const elsewhere = sources
      .filter((file) => file.startsWith('src/platform/text/'))
      .flatMap((file) => importsOf(file, text.get(file)).filter(({ isType }) => !isType))
      .map(({ target, specifier }) => target ?? specifier)
      .filter((each) => /^node:|zod|^src\/(?!platform\/text\/)/.test(each) && !PURE.has(each));
    expect([...broken, ...impure, ...elsewhere]).toEqual([]);
  });

  test('rules are pure: they import no library, no node module, no client and no database', () => {
    const pure =
      /: src\/(bridge\/(.*rules\.ts|text|blocks|slack\/(ids|message-kinds))|platform\/(text|working-time)|contract)/;
    const broken = sources
      .filter((file) => /^src\/bridge\/.*rules\.ts$/.test(file))
      .flatMap((file) =>
        importsOf(file, text.get(file))
          .filter(({ isType }) => !isType)
          .map(({ specifier, target }) => `${file}: ${target ?? specifier}`),
      )
      .filter((line) => !pure.test(line));
    expect(broken).toEqual([]);
  });

  test('there are no import cycles', () => {
    expect(cycles()).toEqual([]);
  });

  test.each(['src/bridge', 'src/service'])(
    'the folders of %s use one another in one direction: none reaches itself through another',
    (module) => {
      const uses = folderUses(module);
      const reachedFrom = (folder: string, seen = new Set<string>()): Set<string> => {
        for (const next of uses.get(folder) ?? []) if (!seen.has(next)) reachedFrom(next, seen.add(next));
        return seen;
      };
      expect([...uses.keys()].filter((folder) => reachedFrom(folder).has(folder))).toEqual([]);
    },
  );

  test.each([
    ['src/bridge', 'Inside the bridge'],
    ['src/service', 'Inside the service'],
  ])(
    'a folder of %s uses only those of its row and of the rows above it in the table of docs/architecture.md',
    (module, heading) => {
      const rows = rowsOfFolders(heading);
      const rowOf = (folder: string) => rows.findIndex((row) => row.includes(folder.split('/')[0] ?? ''));
      const folders = new Set(
        sources
          .filter((file) => file.startsWith(`${module}/`) && file.split('/').length > 3)
          .map((file) => file.split('/')[2] ?? ''),
      );
      expect(rows.flat().toSorted()).toEqual([...folders].toSorted());
      const broken = [...folderUses(module)].flatMap(([from, uses]) =>
        [...uses]
          .filter((to) => rowOf(from) >= 0 && rowOf(to) > rowOf(from))
          .map((to) => `${from} uses ${to}`),
      );
      expect(broken).toEqual([]);
    },
  );

  test('the pages share the kit and nothing else: each imports values of it, and it of none of them', () => {
    expect(Object.fromEntries([...folderUses('src/ui')].map(([page, uses]) => [page, [...uses]]))).toEqual({
      desk: ['kit'],
      sandbox: ['kit'],
    });
  });

  test('the sandbox’s page has React Aria from the kit alone, and none of it among what it loads at first', () => {
    const isAria = ({ specifier }: { specifier: string }) => /^(react-aria|react-stately)/.test(specifier);
    const own = sources.filter(
      (file) => file.startsWith('src/ui/sandbox/') && importsOf(file, text.get(file)).some(isAria),
    );
    const atFirst = new Set(['src/ui/sandbox/main.tsx']);
    for (const file of atFirst)
      for (const { target, isType, isLate } of importsOf(file, text.get(file)))
        if (target !== undefined && !isType && !isLate) atFirst.add(target);
    const loading = [...atFirst].filter((file) => importsOf(file, text.get(file)).some(isAria));
    expect([...own, ...loading]).toEqual([]);
    // The parts that are loaded later are not among them, and what is drawn at first is.
    expect(atFirst).toContain('src/ui/kit/native-button.tsx');
    expect(atFirst).not.toContain('src/ui/kit/modal.tsx');
  });

  test('the core of the bridge imports no feature, directly or indirectly', () => {
    expect(importsOfFeatures()).toEqual([]);
  });

  test('a feature imports another one only through its index or its rules, and only where that is listed', () => {
    const featureOf = (file: string) => /^src\/bridge\/features\/([^/]+)\//.exec(file)?.[1];
    const found = sources.flatMap((file) => {
      const feature = featureOf(file);
      return importsOf(file, text.get(file))
        .map(({ target = '' }) => target)
        .filter((target) => feature !== undefined && ![feature, undefined].includes(featureOf(target)))
        .map((target) => `${feature ?? ''} → ${target.replace('src/bridge/features/', '')}`);
    });
    expect([...new Set(found)].sort()).toEqual([
      'commands → delivery-status/index.ts',
      'commands → forms/index.ts',
      'commands → notifications/index.ts',
      'commands → shown/index.ts',
      'delivery-status → cards/index.ts',
      'home → forms/index.ts',
      'notifications → approvals/index.ts',
      'notifications → cards/index.ts',
      'notifications → reminders/index.ts',
      'reminders → cards/index.ts',
      'reminders → home/index.ts',
      'reminders → shown/index.ts',
      'shown → cards/index.ts',
      'unfurls → shown/index.ts',
    ]);
  });
});

describe('single responsibility', () => {
  test('only config.ts reads the environment', () => {
    expect(filesWith(sources, /process\.env/, (file) => file === 'src/start/config.ts')).toEqual([]);
  });

  test('only platform, and pages in the browser, read the clock and make random values', () => {
    const platform = (file: string) => /^src\/(platform|ui)\//.test(file);
    expect(
      filesWith(sources, /Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(/, platform),
    ).toEqual([]);
  });

  test('only the launcher ends the process', () => {
    expect(filesWith(sources, /process\.exit\(/, () => false)).toEqual([]);
  });

  test('the bridge updates tickets in one file, which records the actor (B43)', () => {
    const elsewhere = (file: string) =>
      !file.startsWith('src/bridge/') || file === 'src/bridge/tickets/update-ticket.ts';
    expect(filesWith(sources, /\bservice\.updateTicket\(/, elsewhere)).toEqual([]);
  });

  test('codes of chat rules stand in rules and comments only: outcomes, logs and posts say it in words', () => {
    const isRules = (file: string) => file.endsWith('rules.ts');
    expect(filesWith(sources, /['"`][^'"`\n]*\bB\d{1,2}a?\b[^'"`\n]*['"`]/, isRules)).toEqual([]);
  });

  test('what *Why?* explains (B55) is decided somewhere in the bridge', () => {
    const decided = sources
      .filter((file) => file.startsWith('src/bridge/') && !file.endsWith('delivery-status/rules.ts'))
      .map((file) => text.get(file))
      .join('\n');
    expect(
      Object.keys(REASONS).filter((outcome) => !new RegExp(`['"\`]${outcome}['"\`:]`).test(decided)),
    ).toEqual([]);
  });

  test('only one file builds and parses chat ids', () => {
    const ids = (file: string) => !file.startsWith('src/bridge/') || file === 'src/bridge/slack/ids.ts';
    expect(filesWith(sources, /\$\{[^}]*(channel|team)[^}]*\}:\$\{/i, ids)).toEqual([]);
  });
});

describe('readability', () => {
  test('folders are named for their contents, never utils, common, helpers or types', () => {
    const folders = new Set(sources.flatMap((file) => path.posix.dirname(file).split('/')));
    expect([...folders].filter((name) => /^(utils?|common|helpers?|types|misc|lib)$/.test(name))).toEqual([]);
  });

  test('no test mocks our own modules or sleeps', () => {
    const harness = (file: string) =>
      file.startsWith('test/harness/') || file === 'test/architecture.test.ts';
    expect(filesWith(tests, /vi\.mock\(|setTimeout\(|\bsleep\(|pg_sleep\(0/, harness)).toEqual([]);
  });

  test('test names are unique within a file', () => {
    const twice = tests.flatMap((file) => {
      const names = [...(text.get(file) ?? '').matchAll(/^\s*(?:test|it)\('((?:[^'\\]|\\.)+)'/gm)].map(
        ([, name]) => name,
      );
      return names
        .filter((name, index) => names.indexOf(name) !== index)
        .map((name) => `${file}: ${name ?? ''}`);
    });
    expect(twice).toEqual([]);
  });
});
