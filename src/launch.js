#!/usr/bin/env node
// Plain JavaScript on purpose: it must run on the system's Node, however old, to hand over to Node 24, which `npm ci`
// installs (package `node`). A checkout runs what it builds from its sources (.config/build.js), or if it cannot build,
// the sources themselves. A published package has them compiled: Node does not run TypeScript under node_modules.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const NEEDED = 24;
/** The process title of the program, by which it recognises its launcher. */
const HANDED_OVER = 'deskbridge';
/** The time when the command was started, passed to the program. */
const BEGAN = 'DESKBRIDGE_BEGAN';
/** Commands that run until they are stopped. */
const SERVING = ['start', 'service', 'bridge', 'sandbox'];

// The first start builds the program, which takes some seconds.
const [, , command = 'start', ...options] = process.argv;
const isForHelp = options.includes('--help') || options.includes('-h');
if (process.stdout.isTTY && process.env[BEGAN] === undefined && SERVING.includes(command) && !isForHelp)
  process.stdout.write('Starting deskbridge…\n');

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  // If the launcher is killed, the channel to it closes. The program must then end and release its ports.
  if (process.argv0 === HANDED_OVER) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
  }
  // By default V8 marks the whole heap again for every 64 MB of files that pass through it, several times a second.
  // Here it counts their bytes as part of the heap, which may double until it is marked.
  v8.setFlagsFromString('--heap-growing-percent=100');
  v8.setFlagsFromString('--external-memory-accounted-in-global-limit');
  const began = Number(process.env[BEGAN] ?? performance.timeOrigin);
  const { main } = await import(await program());
  // Anything that still keeps the process alive after its command is done has nothing left to do.
  process.exit(await main(process.argv.slice(2), new Date(began)));
} else {
  const own = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(own)) {
    const isInstalled = existsSync(new URL('../node_modules/', import.meta.url));
    console.error(
      isInstalled
        ? `deskbridge needs Node ${NEEDED}, and this is ${process.versions.node}. Run \`npm ci\` again with scripts allowed ` +
            `for the package "node", which brings Node ${NEEDED}; or install Node ${NEEDED}.`
        : 'Run `npm ci` first: the packages of deskbridge are not installed.',
    );
    process.exit(1);
  }
  const child = spawn(own, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    argv0: HANDED_OVER,
    env: { ...process.env, [BEGAN]: String(performance.timeOrigin) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/**
 * Returns the program's entry module. Compiled code is cached next to it, because compiling takes half of the start.
 */
async function program() {
  const builder = new URL('../.config/build.js', import.meta.url);
  const built = existsSync(builder) ? (await import(builder.href)).built(process.argv[2]) : undefined;
  if (built) {
    module.setSourceMapsSupport(true, { nodeModules: true });
    module.enableCompileCache(fileURLToPath(new URL('compiled', built)));
    return built.href;
  }
  module.enableCompileCache();
  return existsSync(new URL('./main.ts', import.meta.url)) ? './main.ts' : '../dist/main.js';
}
