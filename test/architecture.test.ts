import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { cycles, dialect, filesPerFolder, importsOf, importsOfFeatures, longFiles } from './figures.ts';

/** The limits of what can grow: lower one when it can be lower. */
const RATCHET = {
  filesOfBridge: 180,
  dialect: 20,
};

const root = path.resolve(import.meta.dirname, '..');
const sources = globSync('src/**/*.ts', { cwd: root });
const tests = globSync('test/**/*.ts', { cwd: root });
const text = new Map(
  [...sources, ...tests].map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);

/** Which rooms a room may import; what is not listed is not allowed. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  client: ['contract'],
  platform: [],
  service: ['contract', 'platform'],
  bridge: ['contract', 'client', 'platform'],
  sandbox: ['platform'],
  desk: ['contract', 'client', 'platform'],
};
/** Rooms that another room may enter by their face only. */
const BY_INDEX_ONLY = ['contract', 'client', 'service', 'bridge', 'sandbox', 'desk'];

/** The bridge's addresses are named by commands that load no bridge. */
const isFace = (room: string, target: string) =>
  target === `src/${room}/index.ts` || target === 'src/bridge/paths.ts';

/** The command line and what starts programs are no rooms: they may start any of them, by their faces. */
const roomOf = (file: string) => {
  const [, room, rest] = file.split('/');
  return rest === undefined || ['commands', 'start'].includes(room ?? '') ? undefined : room;
};

const filesWith = (files: readonly string[], pattern: RegExp, except: (file: string) => boolean) =>
  files.filter(
    (file) => !except(file) && pattern.test((text.get(file) ?? '').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')),
  );

describe('the rooms', () => {
  test('a room imports only the rooms it may, and another room only by its index', () => {
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

  test('contract and config import zod and nothing else from outside', () => {
    const outside = sources
      .filter((file) => roomOf(file) === 'contract' || file === 'src/start/config.ts')
      .flatMap((file) => importsOf(file, text.get(file)).map(({ specifier }) => specifier))
      .filter((specifier) => !specifier.startsWith('.') && specifier !== 'zod');
    expect(outside).toEqual([]);
  });

  test('rules are pure: they import no library, no node module, no client and no database', () => {
    const pure =
      /: src\/(bridge\/(.*rules\.ts|text|blocks|slack\/(ids|message-kinds))|platform\/text|contract)/;
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

  test('no file imports itself round a circle', () => {
    expect(cycles()).toEqual([]);
  });

  test('the core of the bridge imports no feature, at any depth', () => {
    expect(importsOfFeatures()).toEqual([]);
  });

  test('a feature imports another one only by its index, or by its rules, and only where that is listed', () => {
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
      'commands → notifications/index.ts',
      'delivery-status → cards/index.ts',
      'forms → commands/rules.ts',
      'home → forms/index.ts',
      'notifications → approvals/index.ts',
      'notifications → cards/index.ts',
      'notifications → reminders/index.ts',
      'reminders → cards/index.ts',
      'reminders → home/index.ts',
    ]);
  });
});

describe('one place for each thing', () => {
  test('the environment is read in config.ts only', () => {
    expect(filesWith(sources, /process\.env/, (file) => file === 'src/start/config.ts')).toEqual([]);
  });

  test('the clock and chance are read in platform only', () => {
    const platform = (file: string) => file.startsWith('src/platform/');
    expect(
      filesWith(sources, /Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(/, platform),
    ).toEqual([]);
  });

  test('only the launcher ends the process', () => {
    expect(filesWith(sources, /process\.exit\(/, () => false)).toEqual([]);
  });

  test('the bridge changes tickets in one place, where it is noted who does it (B43)', () => {
    const elsewhere = (file: string) =>
      !file.startsWith('src/bridge/') || file === 'src/bridge/tickets/update-ticket.ts';
    expect(filesWith(sources, /\bservice\.updateTicket\(/, elsewhere)).toEqual([]);
  });

  test('chat ids are built and split in one file only', () => {
    const ids = (file: string) => !file.startsWith('src/bridge/') || file === 'src/bridge/slack/ids.ts';
    expect(filesWith(sources, /\$\{[^}]*(channel|team)[^}]*\}:\$\{/i, ids)).toEqual([]);
  });
});

describe('readable', () => {
  test('folders are named for what they hold, never utils, common, helpers or types', () => {
    const folders = new Set(sources.flatMap((file) => path.posix.dirname(file).split('/')));
    expect([...folders].filter((name) => /^(utils?|common|helpers?|types|misc|lib)$/.test(name))).toEqual([]);
  });

  test('no folder holds more than 40 files', () => {
    expect([...filesPerFolder()].filter(([, count]) => count > 40)).toEqual([]);
  });

  test('the bridge has few files', () => {
    const files = sources.filter((file) => file.startsWith('src/bridge/'));
    expect(files.length).toBeLessThanOrEqual(RATCHET.filesOfBridge);
  });

  test('no file is longer than 500 lines without a sentence that says why', () => {
    expect(longFiles().filter((file) => !/more than 500 lines/.test(text.get(file) ?? ''))).toEqual([]);
  });

  test('the words of the old dialect are gone', () => {
    const count = Object.values(dialect()).reduce((sum, one) => sum + one, 0);
    expect(count).toBeLessThanOrEqual(RATCHET.dialect);
  });

  test('nothing of ours is mocked and no test sleeps', () => {
    const harness = (file: string) =>
      file.startsWith('test/harness/') || file === 'test/architecture.test.ts';
    expect(filesWith(tests, /vi\.mock\(|setTimeout\(|\bsleep\(/, harness)).toEqual([]);
  });

  test('no two tests of a file bear the same name', () => {
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
