import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const EXAMPLES = path.join(root, 'docs/examples');

const Packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));
const Manifest = z.object({
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});

const WRONG = `
import type { Client } from 'deskbridge/client';
import type { Ticket } from 'deskbridge/contract';
export async function wrong(service: Client, ticket: Ticket) {
  // @ts-expect-error a ticket is read by its id
  await service.readTicket({});
  // @ts-expect-error a title is a text
  const title: number = ticket.title;
  return title;
}`;

/** A project with the package installed, as `npm pack` makes it. */
let project = '';
let contents: string[] = [];
let launcher = '';

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'deskbridge-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', project], {
    cwd: root,
  });
  const [packed] = Packed.parse(JSON.parse(stdout));
  contents = (packed?.files ?? []).map((file) => file.path);
  const installed = path.join(project, 'node_modules/deskbridge');
  await mkdir(installed, { recursive: true });
  const archive = path.join(project, packed?.filename ?? '');
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  const manifest = Manifest.parse(JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')));
  launcher = path.join(installed, manifest.bin['deskbridge'] ?? '');
  // The dependencies installed with it: none that only development needs.
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = path.join(project, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(root, 'node_modules', name), link);
  }
  await cp(EXAMPLES, project, { recursive: true });
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

test('the package contains the program, its pages and the types of client and contract, and nothing else', () => {
  const sources = globSync('src/**/*.*', { cwd: root }).filter(
    (file) => !/\.md$|launch\.js$|^src\/ui\//.test(file),
  );
  const compiled = sources.map((file) => file.replace(/^src/, 'dist').replace(/\.ts$/, '.js'));
  const types = sources
    .filter((file) => /^src\/(client|contract)\//.test(file))
    .map((file) => file.replace(/^src/, 'dist').replace(/\.ts$/, '.d.ts'));
  const others = ['LICENSE', 'README.md', 'manifest.yml', 'package.json', 'src/launch.js'];
  const pages = contents.filter((file) => file.startsWith('dist/ui/'));
  expect(contents.sort()).toEqual([...compiled, ...types, ...others, ...pages].sort());
  expect(pages).toEqual(
    expect.arrayContaining(
      ['desk/index.html', 'desk/not-found.html', 'sandbox/index.html'].map((file) => `dist/ui/${file}`),
    ),
  );
  expect(
    pages.filter(
      (file) => !/^dist\/ui\/(built-from|(desk|sandbox)\/((\w|-)+\.html|assets\/[\w.-]+))$/.test(file),
    ),
  ).toEqual([]);
});

test('the examples pass the type check against the installed package, in a project that resolves as Node does', async () => {
  await mkdir(path.join(project, 'node_modules/@types'), { recursive: true });
  await symlink(path.join(root, 'node_modules/@types/node'), path.join(project, 'node_modules/@types/node'));
  const compilerOptions = {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    target: 'es2024',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  await writeFile(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }');
  // With missing types the check would accept anything.
  await writeFile(path.join(project, 'wrong.ts'), WRONG);
  const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', project]).catch((error: unknown) =>
    z.object({ stdout: z.string() }).parse(error),
  );
  expect(stdout).toBe('');
});

test('deskbridge runs from node_modules, pages included, and the example answers a new ticket there', async () => {
  const world = await startProcess({}, ['start', '--demo'], launcher);
  for (const site of [world.urls.sandbox, world.urls.root]) {
    const page = await (await fetch(site)).text();
    const parts = [...page.matchAll(/"(\/[^"]+\.(?:js|css|svg))"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect([part, (await fetch(new URL(part, site))).status]).toEqual([part, 200]);
  }

  const example = spawn(process.execPath, ['answer-new-tickets.ts'], {
    cwd: project,
    env: { SERVICE_URL: world.urls.api, SERVICE_API_TOKEN: world.apiKey },
  });
  onTestFinished(async () => {
    example.kill();
    if (example.exitCode === null && example.signalCode === null) await once(example, 'exit');
  });
  let said = '';
  for (const stream of [example.stdout, example.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(example, 'spawn');
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say('it-help', 'ada', `<@${bot}> the lift is stuck`);
  const { code } = await ticketAt(world.service, ts);
  await until(
    'the answer in the thread',
    async () => (await world.chat.thread('it-help', ts)).some(({ text }) => text.startsWith('Thank you!')),
    { seen: async () => said },
  );
  expect(said).toBe(`${code} answered\n`);
});
