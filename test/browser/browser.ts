import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { beforeAll, onTestFinished } from 'vitest';

import { CHROMIUM, launchBrowser } from './launch-browser.ts';

/**
 * How many times slower a machine the pages believe to run on: to find tests that wait for time, and pages that lose a
 * key or a click because a part of them comes late (docs/contributing.md).
 */
const THROTTLE = Number(process.env['BROWSER_THROTTLE'] ?? 1);
/** By how much each answer is later, for each time. */
const LATER_MS = 20;

export interface OpenPage {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** IANA name; default that of the machine. */
  timezoneId?: string;
}

export interface Opened {
  page: Page;
  /** Errors of the browser console. */
  problems: string[];
}

/** One for all files of a worker, with which it ends: a start takes a second. */
let browser: Browser | undefined;

/** A browser for the tests of a file; each page has its own session. */
export function useBrowser(): { open: (url: string, options?: OpenPage) => Promise<Opened> } {
  beforeAll(async () => {
    if (!browser) buildPages();
    if (!browser?.isConnected()) browser = await launchBrowser();
  });
  return {
    open: async (url, options) => {
      if (!browser) throw new Error('no browser');
      return openPage(browser, url, options);
    },
  };
}

function buildPages(): void {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no ${CHROMIUM}. Install it: apt-get install chromium-headless-shell`);
  const build = path.resolve(import.meta.dirname, '../../.config/build-ui.js');
  execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
}

async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 800, ...look }: OpenPage = {},
): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light', ...look });
  // Before the servers, which give an open page five seconds to go away.
  onTestFinished(() => page.context().close());
  // The first route switches interception on, which a busy renderer hears of only after the next key: a request that
  // the key makes would still go through.
  await page.route('**/is-never-requested', (route) => route.abort());
  // Only ends what hangs: no test passes by being quick.
  page.setDefaultTimeout(60_000);
  if (THROTTLE > 1) await slowDown(page);
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(url);
  return { page, problems };
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
  await session.send('Network.enable');
  const network = {
    offline: false,
    latency: LATER_MS * THROTTLE,
    downloadThroughput: -1,
    uploadThroughput: -1,
  };
  await session.send('Network.emulateNetworkConditions', network);
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
