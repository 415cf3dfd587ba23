#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on the machine's own Node, however old, to hand over to Node 24,
// which runs the TypeScript sources directly. Node 24 comes with `npm ci` (package `node`). A package has the sources
// compiled instead: Node runs no TypeScript under node_modules.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
/** What the program is called that was handed over to, so that it knows of its launcher. */
const HANDED_OVER = 'deskbridge';

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  // A launcher that is killed cannot say so: the channel to it ends. The program must not stay behind with its ports.
  if (process.argv0 === HANDED_OVER) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
  }
  // Half of a start's work is compiling the same sources again; where nothing can be written, nothing is kept.
  module.enableCompileCache();
  await import(existsSync(new URL('./main.ts', import.meta.url)) ? './main.ts' : '../dist/main.js');
} else {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    console.error(
      `deskbridge needs Node ${NEEDED}, and this is ${process.versions.node}. Install Node ${NEEDED}; or, where you ran ` +
        '`npm ci`, run it again with scripts allowed for the package "node", which brings one.',
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    argv0: HANDED_OVER,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
