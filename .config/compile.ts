import { execFileSync } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';

// Node runs no TypeScript under node_modules, so the package holds the sources compiled; beside them, as they are, the
// files that pages are made of, schemas, and the types of what others may import.
const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const asTheyAre = new Set(['.js', '.css', '.html', '.sql', '.svg', '.txt', '.bin']);

await rm(dist, { recursive: true, force: true });
const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc');
for (const config of ['tsconfig.package.json', 'tsconfig.types.json'])
  execFileSync(process.execPath, [compiler, '-p', path.join(import.meta.dirname, config)], {
    stdio: 'inherit',
  });
await cp(path.join(root, 'src'), dist, {
  recursive: true,
  filter: (file) => path.extname(file) === '' || asTheyAre.has(path.extname(file)),
});
await rm(path.join(dist, 'launch.js'));
