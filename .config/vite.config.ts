import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import react from '@vitejs/plugin-react';
import { defineConfig, mergeConfig, type Plugin, type UserConfig } from 'vite';

import { routes } from '../src/contract/index.ts';
import { OFFERED } from '../src/desk/offered.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The pages in src/ui, each built by the mode of its name. */
const PAGES: Record<string, UserConfig> = {
  /** As the desk's server serves it (src/desk/web-page.ts). */
  desk: {
    base: '/desk/',
    plugins: [react(), operations()],
    // The server replaces it in each response. React Aria reads it from the page's `meta`.
    html: { cspNonce: 'NONCE' },
    build: {
      rolldownOptions: {
        input: ['index.html', 'not-found.html'].map((file) => path.join(ROOT, 'src/ui/desk', file)),
        output: {
          codeSplitting: {
            // Changes rarely: browsers keep it across most releases. Everything else is split by dynamic imports alone.
            groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// }],
          },
        },
      },
    },
  },
  /** As the sandbox's server serves it (src/sandbox/page.ts). */
  sandbox: { base: '/page/' },
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
