import { execFileSync } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';

// Node runs no TypeScript under node_modules, so the package holds the sources compiled; beside them, as they are,
// pictures, schemas, and the types of what others may import. The pages of src/ui have a build of
// their own (build-ui.js).
const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const asTheyAre = new Set(['.js', '.sql', '.svg', '.txt', '.bin']);

for (const name of await readdir(dist).catch(() => []))
  if (name !== 'ui') await rm(path.join(dist, name), { recursive: true });
const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc');
for (const config of ['tsconfig.package.json', 'tsconfig.types.json'])
  execFileSync(process.execPath, [compiler, '-p', path.join(import.meta.dirname, config)], {
    stdio: 'inherit',
  });
await cp(path.join(root, 'src'), dist, {
  recursive: true,
  filter: (file) =>
    file !== path.join(root, 'src/ui') && (path.extname(file) === '' || asTheyAre.has(path.extname(file))),
});
await rm(path.join(dist, 'launch.js'));
