import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig, type Plugin, type Rolldown as Bundler, type UserConfig } from 'vite';

import { routes } from '../src/contract/index.ts';
import { OFFERED } from '../src/desk/offered.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

let needed: Record<'desk' | 'requests' | 'around', ReadonlySet<string>> | undefined;

/** The pages in src/ui, each built by the mode of its name. */
const PAGES: Record<string, UserConfig> = {
  /** As the desk's server serves it (src/desk/web-page.ts). */
  desk: {
    base: '/desk/',
    plugins: [react(), operations(), englishOnly()],
    // The server replaces it in each response. React Aria reads it from the page's `meta`.
    html: { cspNonce: 'NONCE' },
    build: {
      rolldownOptions: {
        input: ['index.html', 'requests.html', 'not-found.html'].map((file) =>
          path.join(ROOT, 'src/ui/desk', file),
        ),
        output: {
          codeSplitting: {
            groups: [
              // Changes rarely: browsers keep it across most releases.
              {
                name: 'react',
                test: /rolldown[\\/]runtime|node_modules\/(react|react-dom|scheduler|@tanstack)\//,
                priority: 2,
              },
              // All else that every page of the desk needs, in two files: each further one costs a request. What the
              // pages of requesters need too is apart, so that they load nothing of the desk. The rest is split by dynamic
              // imports alone.
              {
                name: (id, rolldown) => (isNeededByBoth(id, rolldown) ? 'shared' : null),
                debugName: 'shared',
                priority: 1,
                includeDependenciesRecursively: false,
              },
              {
                name: (id, rolldown) => (neededBy(rolldown).desk.has(id) ? 'main' : null),
                debugName: 'main',
                priority: 0,
                includeDependenciesRecursively: false,
              },
              // What stands around a ticket comes a moment later, in one file for the same reason.
              {
                name: (id, rolldown) => (isNeededAround(id, rolldown) ? 'around' : null),
                debugName: 'around',
                priority: -1,
                includeDependenciesRecursively: false,
              },
            ],
          },
        },
      },
    },
  },
  /** As the sandbox's server serves it (src/sandbox/page.ts). */
  sandbox: {
    base: '/page/',
    plugins: [react(), englishOnly()],
    html: { cspNonce: 'NONCE' },
    build: {
      rolldownOptions: {
        output: {
          codeSplitting: {
            // One file for all that the page needs at once. React Aria, which only what is opened later needs, is not in it.
            groups: [
              {
                name: (id, rolldown) => (neededBySandbox(rolldown).has(id) ? 'main' : null),
                debugName: 'main',
                includeDependenciesRecursively: false,
              },
            ],
          },
        },
      },
    },
  },
};

export default defineConfig(({ mode }) => {
  const name = mode in PAGES ? mode : 'desk';
  return mergeConfig(PAGES[name] ?? {}, {
    root: path.join(ROOT, 'src/ui', name),
    publicDir: false,
    plugins: [compressed()],
    build: {
      outDir: path.join(ROOT, 'dist/ui', name),
      emptyOutDir: true,
      // The pages' Content-Security-Policy allows no data: URL.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
});

type Rolldown = Pick<Bundler.PluginContext, 'getModuleInfo'>;

function neededBy(rolldown: Rolldown) {
  return (needed ??= {
    desk: modulesOf(rolldown, 'desk/main.tsx', { areLateOnesIn: false }),
    requests: modulesOf(rolldown, 'desk/requests/main.tsx', { areLateOnesIn: true }),
    around: modulesOf(rolldown, 'desk/ticket/around.tsx', { areLateOnesIn: false }),
  });
}

let neededByItsPage: ReadonlySet<string> | undefined;

function neededBySandbox(rolldown: Rolldown): ReadonlySet<string> {
  return (neededByItsPage ??= modulesOf(rolldown, 'sandbox/main.tsx', { areLateOnesIn: false }));
}

/** Whether the desk needs a module at once, and the pages of requesters at any time. */
function isNeededByBoth(id: string, rolldown: Rolldown): boolean {
  const { desk, requests } = neededBy(rolldown);
  return desk.has(id) && requests.has(id);
}

/** Whether a module is needed around a ticket, and not at once. */
function isNeededAround(id: string, rolldown: Rolldown): boolean {
  const { desk, around } = neededBy(rolldown);
  return around.has(id) && !desk.has(id);
}

/** The modules that a page's entry imports, directly or through others; with `areLateOnesIn` also those of `import()`. */
function modulesOf(
  rolldown: Rolldown,
  entry: string,
  { areLateOnesIn }: { areLateOnesIn: boolean },
): ReadonlySet<string> {
  const found = new Set([path.join(ROOT, 'src/ui', entry)]);
  // Those that are found are looked at in turn; of an index of all components few are used.
  for (const id of found)
    if (!/\/react-aria-components\/dist\/exports\/index\./.test(id)) {
      const { importedIds = [], dynamicallyImportedIds = [] } = rolldown.getModuleInfo(id) ?? {};
      for (const imported of importedIds) found.add(imported);
      if (areLateOnesIn) for (const imported of dynamicallyImportedIds) found.add(imported);
    }
  return found;
}

/** `virtual:operations`: method and path of the operations that the desk offers. The contract itself brings zod along. */
function operations(): Plugin {
  const name = 'virtual:operations';
  const table = Object.fromEntries(OFFERED.map((each) => [each, [routes[each].method, routes[each].path]]));
  return {
    name: 'operations',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? `export const operations = ${JSON.stringify(table)};` : undefined),
  };
}

/** React Aria's own texts: the pages are in English. Of these modules its dictionaries leave out what has no value. */
function englishOnly(): Plugin {
  return {
    name: 'english-only',
    load: (id) =>
      /\/react-(aria|stately)\/.*\/intl\/.*\/(?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/.test(id)
        ? 'export default undefined;'
        : undefined,
  };
}

/** Writes each text file a second and third time, compressed as servers need them. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((each) => /\.(js|css|svg)$/.test(each))) {
        const file = path.join(dir, name);
        const content = readFileSync(file);
        writeFileSync(`${file}.br`, brotliCompressSync(content));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
