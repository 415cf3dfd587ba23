import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

interface Lock {
  packages: Record<
    string,
    { dev?: boolean; dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
  >;
}

function lock(): Lock['packages'] {
  return (JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as Lock).packages;
}

/** Folders of the packages without development dependencies: what `npm ci --omit=dev` installs. */
export function productionPackages(): Set<string> {
  return new Set(
    Object.entries(lock()).flatMap(([folder, { dev }]) =>
      folder !== '' && !dev && isThere(folder) ? [folder] : [],
    ),
  );
}

/** A package and its dependencies, as installed. */
export function packagesOf(name: string): Set<string> {
  const packages = lock();
  const found = new Set<string>();
  const add = (wanted: string, from: string) => {
    const folder = resolveFrom(packages, wanted, from);
    if (folder === undefined || found.has(folder) || !isThere(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = packages[folder] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) add(next, folder);
  };
  add(name, '');
  return found;
}

/** The folder from which Node resolves a package, starting in another folder. */
function resolveFrom(packages: Lock['packages'], name: string, from: string): string | undefined {
  for (let at = from; ; at = at.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (packages[folder]) return folder;
    if (at === '') return undefined;
  }
}

function isThere(folder: string): boolean {
  return statSync(path.join(ROOT, folder), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A file, or all files of a folder except those of nested packages; relative to the root. */
export function filesOf(place: string): string[] {
  const whole = path.join(ROOT, place);
  if (statSync(whole).isFile()) return [place];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(whole, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes('node_modules'))
    .map((file) => path.join(place, file));
}

export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(path.join(ROOT, file)).size, 0);
}
