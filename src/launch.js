#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on the machine's own Node, however old, to hand over to Node 24,
// which runs the TypeScript sources directly. Node 24 comes with `npm ci` (package `node`).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  // Half of a start's work is compiling the same sources again; where nothing can be written, nothing is kept.
  module.enableCompileCache();
  await import('./main.ts');
} else {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    console.error(
      `deskbridge needs Node ${NEEDED}; this is ${process.versions.node}, and the one that \`npm ci\` brings is missing ` +
        '(its install script was blocked). Install Node 24, or run `npm ci` again with scripts allowed for the package "node".',
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
