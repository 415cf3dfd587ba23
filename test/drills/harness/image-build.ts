import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cp, link, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import { letInBy, stagesOf } from '../../../bench/lib/dockerfile.ts';

const run = promisify(execFile);
const CHECKOUT = path.resolve(import.meta.dirname, '../../..');
const Words = z.array(z.string()).min(1);
/** The path of programs in the base image. */
const PROGRAMS = '/usr/local/bin';

/**
 * The user that runs the image: `USER` of the Dockerfile, or a user of this machine instead of the base
 * image's.
 */
export interface Account {
  uid: number;
  gid: number;
}

/** The instructions that configure how the image runs. */
interface Config {
  environment: Record<string, string>;
  /** A path in the image. */
  folder: string;
  user: string;
  ports: number[];
  volumes: string[];
  healthcheck: string[];
  entrypoint: string[];
  command: string[];
}

/** A built image: a folder that is its file system. */
export interface Image {
  /** The folder that is `/` of the image. */
  root: string;
  config: Config;
  /** The path on this machine of a path in the image. */
  at(place: string): string;
}

/**
 * Builds the Dockerfile of this checkout without a container engine: the same instructions, commands and
 * files in the same order, each stage in a folder below the given one. A path of the image is a path below
 * that folder. This machine replaces the base image: its Node (the one that runs this), npm, a shell, and an
 * ordinary user for the user `node`.
 * @throws Error for an unknown instruction.
 */
export async function buildImage(account: Account, folder: string): Promise<Image> {
  const [dockerfile, ignored] = await Promise.all(
    ['Dockerfile', '.dockerignore'].map((file) => readFile(path.join(CHECKOUT, file), 'utf8')),
  );
  const letIn = letInBy(ignored ?? '');
  const built = new Map<string, Image>();
  let last: Image | undefined;
  for (const { base, name, instructions } of stagesOf(dockerfile ?? '')) {
    if (!/^node:24\b/.test(base)) throw new Error(`no stand-in for the base image ${base}`);
    const image = await begin(path.join(folder, `stage-${built.size}`));
    for (const { keyword, text } of instructions) await follow(image, keyword, text, account, letIn, built);
    if (name !== undefined) built.set(name, image);
    last = image;
  }
  if (!last) throw new Error('the Dockerfile has no FROM');
  return last;
}

async function begin(root: string): Promise<Image> {
  const at = (place: string) => path.join(root, place);
  await mkdir(at(PROGRAMS), { recursive: true });
  const node = path.join(at(PROGRAMS), 'node');
  await link(process.execPath, node).catch(() => cp(process.execPath, node));
  return {
    root,
    at,
    config: {
      environment: {},
      folder: '/',
      user: 'root',
      ports: [],
      volumes: [],
      healthcheck: [],
      entrypoint: [],
      command: [],
    },
  };
}

async function follow(
  image: Image,
  keyword: string,
  text: string,
  account: Account,
  letIn: ReadonlySet<string>,
  built: ReadonlyMap<string, Image>,
): Promise<void> {
  const { config } = image;
  switch (keyword) {
    case 'WORKDIR':
      config.folder = text;
      await mkdir(image.at(text), { recursive: true });
      return;
    case 'ENV':
      for (const pair of text.split(' ')) {
        const [name = '', value] = pair.split('=', 2);
        if (value === undefined || /["'$\\]/.test(value)) throw unknown(keyword, text);
        config.environment[name] = value;
      }
      return;
    case 'COPY':
      return copy(image, text, letIn, built);
    case 'RUN':
      return runStep(image, text, account);
    case 'USER':
      config.user = text;
      return;
    case 'EXPOSE':
      config.ports = text.split(' ').map(Number);
      return;
    case 'VOLUME':
      config.volumes = text.split(' ');
      return;
    case 'HEALTHCHECK':
      config.healthcheck = wordsOf(text.replace(/^(--\S+ )*CMD /, ''));
      return;
    case 'ENTRYPOINT':
      config.entrypoint = wordsOf(text);
      return;
    case 'CMD':
      config.command = wordsOf(text);
      return;
    default:
      throw unknown(keyword, text);
  }
}

/** Copies files of the build context or of another stage. */
async function copy(
  image: Image,
  text: string,
  letIn: ReadonlySet<string>,
  built: ReadonlyMap<string, Image>,
): Promise<void> {
  const [target = '', ...sources] = text.split(' ').toReversed();
  const stage = /^--from=(\S+)$/.exec(sources.at(-1) ?? '')?.[1];
  const into = image.at(path.join(image.config.folder, target));
  if (stage !== undefined) {
    const from = built.get(stage);
    const [folder, ...others] = sources.slice(0, -1);
    if (!from || folder === undefined || others.length > 0) throw unknown('COPY', text);
    return cp(from.at(folder), into, { recursive: true, verbatimSymlinks: true });
  }
  for (const source of sources) {
    if (!letIn.has(source)) throw new Error(`.dockerignore keeps ${source} from the builder`);
    const isFolder = sources.length === 1 && !target.endsWith('/');
    await cp(path.join(CHECKOUT, source), isFolder ? into : path.join(into, source), { recursive: true });
  }
}

/** Runs a step in a shell like the builder, with the replaced paths and user. */
async function runStep(image: Image, text: string, { uid, gid }: Account): Promise<void> {
  const command = text
    .replaceAll(/(?<=^| )\/[\w./-]+/g, (place) => image.at(place))
    .replaceAll(/(?<= )node:node(?= )/g, `${uid}:${gid}`);
  await run('/bin/sh', ['-c', command], {
    cwd: image.at(image.config.folder),
    env: { ...builderEnvironment(), ...image.config.environment, PATH: pathOf(image) },
  });
}

/** npm's registry and cache on this machine, and whom it trusts there; cached packages are not downloaded. */
function builderEnvironment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(HOME|NODE_EXTRA_CA_CERTS|npm_config_.*|.*_proxy)$/i.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true' };
}

/** The image's own programs, then this machine's. */
function pathOf(image: Image): string {
  return `${image.at(PROGRAMS)}:${process.env['PATH'] ?? ''}`;
}

/**
 * Starts a program in the image as its user, with the image's environment and the given variables (`docker
 * run -e`), and none of this process's.
 */
export function startIn(
  image: Image,
  words: readonly string[],
  account: Account,
  settings: Record<string, string>,
): ChildProcess {
  const { environment, folder } = image.config;
  // Only the user's first group: a child of root would keep root's groups.
  const asUser =
    process.getuid?.() === account.uid
      ? []
      : ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const [command = '', ...args] = [...asUser, ...words];
  return spawn(command, args, {
    cwd: image.at(folder),
    env: { ...environment, ...settings, HOME: '/nonexistent', PATH: pathOf(image) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function wordsOf(text: string): string[] {
  return Words.parse(JSON.parse(text));
}

function unknown(keyword: string, text: string): Error {
  return new Error(`"${keyword} ${text}" is not known to test/drills/harness/image-build.ts`);
}
