import { existsSync } from 'node:fs';

import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';

import type { Sandbox } from '../../src/sandbox/index.ts';

const CHROMIUM = '/usr/bin/chromium';
/** The page is looked at in a real browser; where there is none, these tests say so instead of passing. */
export const testInBrowser = existsSync(CHROMIUM) ? test : test.skip;

/** One browser for the tests of a file. */
export function useBrowser(): { open: (sandbox: Sandbox, options?: OpenPage) => Promise<Opened> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) {
      console.info(`skipped: the sandbox page's tests need a browser at ${CHROMIUM}`);
      return;
    }
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    open: async (sandbox, options) => {
      if (!browser) throw new Error('no browser');
      return openPage(browser, sandbox, options);
    },
  };
}

interface OpenPage {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

interface Opened {
  page: Page;
  /** What a console would show in red. */
  problems: string[];
}

async function openPage(
  browser: Browser,
  sandbox: Sandbox,
  { width = 1280, height = 800, colorScheme = 'light' }: OpenPage = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  // Two cores, with databases being made beside the browser.
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(sandbox.url);
  await page.getByRole('heading', { name: '#it-help', exact: true }).waitFor();
  return { page, problems };
}
