import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

import { CHROMIUM, launchBrowser } from './launch-browser.ts';

export interface OpenPage {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

export interface Opened {
  page: Page;
  /** Errors of the browser console. */
  problems: string[];
}

/** One browser for the tests of a file; each page has its own session. */
export function useBrowser(): { open: (url: string, options?: OpenPage) => Promise<Opened> } {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!existsSync(CHROMIUM))
      throw new Error(`There is no ${CHROMIUM}. Install it: apt-get install chromium-headless-shell`);
    const build = path.resolve(import.meta.dirname, '../../.config/build-ui.js');
    execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
    browser = await launchBrowser();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
  });
  return {
    open: async (url, options) => {
      if (!browser) throw new Error('no browser');
      return openPage(browser, url, options);
    },
  };
}

async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, colorScheme = 'light' }: OpenPage = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  // Before the servers, which give an open page five seconds to go away.
  onTestFinished(() => page.context().close());
  // The first route switches interception on, which a busy renderer hears of only after the next key: a request that
  // the key makes would still go through.
  await page.route('**/is-never-requested', (route) => route.abort());
  // There are two cores, and databases are created at the same time.
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(url);
  return { page, problems };
}

/** Less than half of the package's `source`, which a page must read before its first check. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * The violations that axe finds on the current page, with serious or critical impact, or with any (`every`); this
 * includes contrast.
 */
export async function axeFindings(page: Page, { every = false } = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // Colours are only final after all transitions. React Aria's announcer names elements that may be gone when it is
  // read.
  const found = await page.evaluate<Finding[]>(
    `Promise.all(document.getAnimations().filter((each) => each.effect.getTiming().iterations !== Infinity).map((each) => each.finished))
      .then(() => axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] })).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => every || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
