import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { UsageError } from '../src/commands/command.ts';
import { readImportFile } from '../src/commands/import-file.ts';
import type { Application } from '../src/contract/index.ts';
import { runCommand } from './harness/run-command.ts';
import { type Running, startTestService } from './service/harness.ts';
import { anotherWorkspace } from './service/world.ts';

/** Runs the import with a file of this name and content. */
async function bring({ databaseUrl }: Running, name: string, content: string, ...more: string[]) {
  return runCommand(['import', 'applications', await fileOf(name, content), ...more], {
    DATABASE_URL: databaseUrl,
  });
}

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'import-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

async function list({ call }: Running, token?: string): Promise<Application[]> {
  const { body } = await call('GET', '/applications', token === undefined ? {} : { token });
  return body.items as unknown as Application[];
}

test('a JSON file of applications is imported, and replaces the previous import', async () => {
  const service = await startTestService();
  const editor = { name: 'Editor', price: 12.5, accessLevels: [{ name: 'Writer' }] };
  const first = await bring(service, 'apps.json', JSON.stringify([editor, { name: 'Wiki' }]));
  expect([first.code, first.err]).toEqual([0, '']);
  expect(first.out).toContain('2 applications imported: 2 new, 0 replaced.');
  const again = await bring(
    service,
    'apps.json',
    JSON.stringify({ applications: [{ ...editor, price: 13 }] }),
  );
  expect(again.out).toContain('1 applications imported: 0 new, 1 replaced.');
  expect(await list(service)).toMatchObject([{ name: 'Editor', price: 13 }, { name: 'Wiki' }]);
});

test('a CSV of applications gives the same as JSON: lists, access levels, texts with commas and line breaks', async () => {
  const service = await startTestService();
  const person = async (firstName: string) =>
    (await service.call('POST', '/users', { body: { firstName } })).body.id;
  const [ada, ben] = [await person('Ada'), await person('Ben')];
  const { out, code } = await bring(
    service,
    'apps.CSV',
    `\uFEFFname, domain, price,approverIds,accessLevels,status\r
"Editor, the",editor.example,12.5,${ada}; ${ben},"[{""name"":""Writer""}]",\r
\r
Wiki,,,,,INACTIVE\r
`,
  );
  expect([code, out]).toEqual([0, expect.stringContaining('2 applications imported: 2 new')]);
  expect(await list(service)).toMatchObject([
    {
      name: 'Editor, the',
      domain: 'editor.example',
      price: 12.5,
      status: 'ACTIVE',
      approvers: [{ id: ada }, { id: ben }],
      accessLevels: [{ name: 'Writer' }],
    },
    { name: 'Wiki', domain: null, price: null, status: 'INACTIVE' },
  ]);
});

test('every error of a file is reported with its line, and nothing is imported', async () => {
  const service = await startTestService();
  const csv = 'name,price,ownerId,status\nGood,1,,\n"Two\nlines",dear,,\nThird,2,usr_none,\nFourth,3,,GONE\n';
  const wrong = await bring(service, 'apps.csv', csv);
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/apps\.csv was not imported/);
  expect(wrong.err).toMatch(/line 3: price: /);
  expect(wrong.err).toMatch(/line 6: status: /);
  expect(wrong.err).not.toMatch(/\n\s+at /);
  const people = await bring(service, 'apps.csv', csv.replace('dear', '4').replace('GONE', 'ACTIVE'));
  expect(people.err).toMatch(/line 5: ownerId: The workspace has no user "usr_none"/);
  const json =
    '[\n  { "name": "Good" },\n  {\n    "name": "Bad",\n    "accessLevels": [\n      {}\n    ]\n  },\n  {}\n]';
  const nested = await bring(service, 'apps.json', json);
  expect(nested.err).toMatch(/line 6: accessLevels\.0\.name: /);
  expect(nested.err).toMatch(/line 9: name: /);
  expect(await list(service)).toEqual([]);
});

test('a file with invalid JSON, invalid CSV or unknown columns is rejected with the line', async () => {
  const refused: [string, string, RegExp][] = [
    ['apps.json', '[\n{ "name": "X", }\n]', /line 2: invalid JSON/],
    ['apps.json', '', /line 1: /],
    ['apps.json', '{ "things": [] }', /line 1: expected an array/],
    ['apps.csv', 'name,price\nX,1\nY,2,3\n', /line 3: invalid CSV/],
    ['apps.csv', 'name\n"X\n', /line 2: invalid CSV/],
    ['apps.csv', 'name,prize\nX,1\n', /line 1: the columns are .*not prize/],
    ['apps.csv', 'name,name\nX,Y\n', /line 1: .*each at most once/],
    ['apps.csv', 'domain\nx.example\n', /line 1: .*name is required/],
    ['apps.csv', 'name,integration\nX,{}\nY,{\n', /line 3: integration: invalid JSON/],
  ];
  for (const [name, content, message] of refused) {
    const read = readImportFile(await fileOf(name, content));
    await expect(read, content).rejects.toBeInstanceOf(UsageError);
    await expect(read, content).rejects.toThrow(message);
  }
  await expect(readImportFile('/nowhere/apps.json')).rejects.toThrow(/cannot be read \(ENOENT\)/);
});

test('applications are imported into the named workspace, and a large file shows its progress', async () => {
  const service = await startTestService();
  const other = await anotherWorkspace(service);
  const many = Array.from({ length: 1_200 }, (_, number) => `App ${number}`).join('\n');
  const { out } = await bring(service, 'apps.csv', `name\n${many}\n`, '--workspace', other.slug);
  expect(out).toContain('500 of 1200 applications\n');
  expect(out).toContain('1000 of 1200 applications\n');
  expect(out).toContain('1200 applications imported: 1200 new, 0 replaced.');
  expect(await list(service)).toEqual([]);
  expect((await list(service, other.token)).length).toBeGreaterThan(0);
  expect((await bring(service, 'apps.csv', 'name\nX\n', '--workspace', 'nowhere')).err).toContain('nowhere');
});

test('a mistyped import, or one for a remote service, says what to type', async () => {
  const elsewhere = { SERVICE_URL: 'http://127.0.0.1:1/api', SERVICE_API_TOKEN: 'x'.repeat(20) };
  expect((await runCommand(['import', 'applications', 'apps.json'], elsewhere)).err).toContain(
    'another service',
  );
  const { code, err } = await runCommand(['import', 'users', 'x.json'], {});
  expect(code).toBe(1);
  expect(err).toContain('deskbridge import applications <file.json or file.csv>');
  const { out } = await runCommand(['help'], {});
  expect(out).toMatch(
    /^ {2}import\s+applications <file>: import applications from JSON or CSV; files <folder>: the files of an export$/m,
  );
});

test.for([
  ['UTF-8', Buffer.from('name\nInvestigación 🎫\n')],
  ['UTF-8 with its mark', Buffer.from('\uFEFFname\nInvestigación 🎫\n')],
  ['UTF-16, little-endian', Buffer.from('\uFEFFname\nInvestigación 🎫\n', 'utf16le')],
  ['UTF-16, big-endian', Buffer.from('\uFEFFname\nInvestigación 🎫\n', 'utf16le').swap16()],
] as const)('a file in %s is read as it was written', async ([, bytes]) => {
  const { applications } = await readImportFile(await fileOf('apps.csv', bytes));
  expect(applications).toMatchObject([{ name: 'Investigación 🎫' }]);
});

test.for([
  ['Windows-1252', Buffer.from('name\nInvestigaci\xf3n\n', 'latin1')],
  ['UTF-8 that was cut', Buffer.from('name\nó').subarray(0, 6)],
  ['Shift JIS', Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0x83, 0x76, 0x83, 0x8a])],
] as const)('a file in %s is refused, not garbled', async ([, bytes]) => {
  for (const name of ['apps.csv', 'apps.json'])
    await expect(readImportFile(await fileOf(name, bytes))).rejects.toThrow(/is not in UTF-8/);
});
