/**
 * What the desk costs in a browser: `node bench/desk-page.ts`. Chromium emulates 80 ms round trip and 10 Mbit/s.
 * Analytics are asked, and the list scrolled, on a desk with 100,000 tickets. The former page is measured beside it
 * where `BENCH_FORMER_DESK` is a checkout of 0f1f1d5 with its packages.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { systemClock } from '../src/platform/clock.ts';
import { createIds } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import { createSignInLink } from '../src/service/index.ts';
import { DEMO } from '../src/start/demo.ts';
import { launchBrowser } from '../test/browser/launch-browser.ts';
import { loadSlowly, timeToNext } from '../test/browser/page-load.ts';
import { freePorts } from '../test/harness/ports.ts';
import { KEY, TOKEN, UNLIMITED } from './lib/desk.ts';
import type { Figure } from './lib/figures.ts';
import { fill } from './lib/history.ts';
import { must } from './lib/load.ts';
import { startPostgres } from './lib/postgres.ts';
import { atEnd, scratch, startDeskbridge } from './lib/programs.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';

const TICKETS = 100_000;
const MOVES = 5;
const GOALS = {
  requests: 12,
  kilobytes: 200,
  coldMs: 800,
  warmMs: 400,
  nextMs: 100,
  frameMs: 50,
  analyticsMs: 300,
};
const VIEWPORT = { width: 1440, height: 900 };
const PAGE = { tickets: '/tickets/', field: 'textarea[aria-label^="Reply"]' };
const FORMER = process.env['BENCH_FORMER_DESK'];

export const desk: Rig = { title: 'The desk in a browser', minutes: 15, measure };

interface Served {
  root: string;
  /** The path of a ticket's page, before its code. */
  tickets: string;
  /** The selector of its composer. */
  field: string;
  context: () => Promise<BrowserContext>;
}

type Measured = Record<keyof typeof GOALS, number[]>;

const nothing = (): Measured => ({
  requests: [],
  kilobytes: [],
  coldMs: [],
  warmMs: [],
  nextMs: [],
  frameMs: [],
  analyticsMs: [],
});

async function measure(rounds: number): Promise<Figure[]> {
  const postgres = await startPostgres();
  const browser = await launchBrowser();
  atEnd(() => browser.close());
  const served = await serve(browser, await postgres.database('desk'));
  const formerly = FORMER === undefined ? undefined : await serveFormer(browser, FORMER);
  const large = await serveLarge(browser, await postgres.database('desk_large'));
  const [ours, former] = [nothing(), nothing()];
  for (let round = 0; round < rounds; round++) {
    tellRound(desk.title, round, rounds);
    if (formerly) await (await loadTwice(formerly, former)).context().close();
    const page = await loadTwice(served, ours);
    ours.nextMs.push(await nextTicket(page));
    await page.context().close();
    ours.frameMs.push(await scrolling(large));
    ours.analyticsMs.push(await overview(large));
  }
  const figure = (name: string, unit: Figure['unit'], of: keyof Measured): Figure => ({
    name,
    unit,
    ours: ours[of],
    goal: { under: GOALS[of] },
    baseline: { name: 'the former page', values: former[of] },
  });
  return [
    figure('requests of a cold ticket page', 'requests', 'requests'),
    figure('compressed bytes of a cold ticket page', 'KB', 'kilobytes'),
    figure('cold, until one can write', 'ms', 'coldMs'),
    figure('warm, until one can write', 'ms', 'warmMs'),
    figure('to the next ticket with j', 'ms', 'nextMs'),
    figure(
      `a frame while ${TICKETS.toLocaleString('en')} tickets are scrolled, 95th percentile`,
      'ms',
      'frameMs',
    ),
    figure(`analytics of ${TICKETS.toLocaleString('en')} tickets`, 'ms', 'analyticsMs'),
  ];
}

/** Opens a ticket cold, then again; resolves with its page. */
async function loadTwice({ root, tickets, field, context }: Served, into: Measured): Promise<Page> {
  const opened = await context();
  const code = await someTicket(root);
  const cold = await loadSlowly(opened, `${root}${tickets}${code}`, field);
  await cold.page.close();
  const warm = await loadSlowly(opened, `${root}${tickets}${code}`, field);
  into.requests.push(cold.requests.length);
  into.kilobytes.push(cold.bytes / 1_000);
  into.coldMs.push(cold.usableMs);
  into.warmMs.push(warm.usableMs);
  return warm.page;
}

async function serve(browser: Browser, database: string): Promise<Served> {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  await startDeskbridge(['start', '--demo'], {
    DATABASE_URL: database,
    DATA_DIR: scratch(),
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
    SEARCH_MODEL: 'none',
  });
  const root = `http://127.0.0.1:${port}`;
  return {
    root,
    ...PAGE,
    context: await signedIn(browser, { root, database, email: DEMO.people.mira.email }),
  };
}

/** It has an embedded database only, and asks for an API key and for whom it acts. */
async function serveFormer(browser: Browser, checkout: string): Promise<Served> {
  const [port = 0, sandboxPort = 0] = await freePorts(2);
  const root = `http://127.0.0.1:${port}`;
  const environment = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
    SEARCH_MODEL: 'none',
  };
  await startDeskbridge(['start'], environment, checkout);
  const page = await browser.newPage();
  await page.goto(root);
  await page.getByLabel(/key/i).first().fill(TOKEN);
  await page.keyboard.press('Enter');
  const asKey = page.getByText('Go on as the key’s own user');
  await asKey.click();
  await asKey.waitFor({ state: 'hidden' });
  const storageState = await page.context().storageState();
  await page.close();
  return {
    root,
    tickets: '/#/tickets/',
    field: '#reply',
    context: () => browser.newContext({ storageState, viewport: VIEWPORT }),
  };
}

/** Contexts of a signed-in person, each without a cache. */
async function signedIn(
  browser: Browser,
  { root, database, email }: { root: string; database: string; email: string },
): Promise<() => Promise<BrowserContext>> {
  const { url } = await createSignInLink(
    database,
    {
      log: createLog({ level: 'silent', pretty: false }),
      clock: systemClock,
      publicUrl: root,
      newId: createIds(systemClock),
    },
    { email },
  );
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${root}/**`);
  await page.locator('[data-code]').first().waitFor({ timeout: 60_000 });
  const storageState = await page.context().storageState();
  await page.close();
  return () => browser.newContext({ storageState, viewport: VIEWPORT });
}

/** An open one, with a thread in chat where the demo has one. */
async function someTicket(root: string): Promise<string> {
  const query = 'openFilter=true&sortBy=updatedAt&sortDirection=desc&limit=50';
  const { items } = (await must('GET', `${root}/api/tickets?${query}`, undefined, KEY)) as {
    items: { code: string; chatThreads: unknown[] }[];
  };
  return (items.find(({ chatThreads }) => chatThreads.length > 0) ?? items[0])?.code ?? '';
}

/** The median of several moves, each to a ticket that the one before has loaded. */
async function nextTicket(page: Page): Promise<number> {
  const times: number[] = [];
  await page.keyboard.press('Escape');
  for (let move = 0; move <= MOVES; move++) {
    times.push(await timeToNext(page));
    await page.waitForLoadState('networkidle');
  }
  // Before the first one, none was loaded.
  return times.slice(1).toSorted((one, other) => one - other)[Math.floor(MOVES / 2)] ?? Number.NaN;
}

async function serveLarge(browser: Browser, database: string): Promise<Served> {
  const [port = 0] = await freePorts(1);
  const root = `http://127.0.0.1:${port}`;
  const email = 'admin@bench.example';
  await startDeskbridge(['start'], {
    DATABASE_URL: database,
    PORT: String(port),
    SERVICE_API_TOKEN: TOKEN,
    SEARCH_MODEL: 'none',
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
  });
  await fill(database, TICKETS);
  await must('POST', `${root}/api/users`, { firstName: 'Ada', lastName: 'Min', email, role: 'admin' }, KEY);
  return { root, ...PAGE, context: await signedIn(browser, { root, database, email }) };
}

/** The 95th percentile of the frames while a list is scrolled by four rows a frame, which reads on as it ends. */
async function scrolling({ root, context }: Served): Promise<number> {
  const opened = await context();
  const page = await opened.newPage();
  await page.goto(`${root}/views/all`);
  await page.locator('[data-line]').nth(49).waitFor();
  const ms = await page.evaluate<number>(`new Promise((resolve) => {
    const scroller = document.querySelector('[data-line]').closest('ul').parentElement;
    const frames = [];
    let last;
    const step = (now) => {
      if (last !== undefined) frames.push(now - last);
      last = now;
      scroller.scrollBy(0, 144);
      if (frames.length < 400) requestAnimationFrame(step);
      else resolve(frames.toSorted((one, other) => one - other)[Math.floor(frames.length * 0.95)]);
    };
    requestAnimationFrame(step);
  })`);
  await opened.close();
  return ms;
}

/** From the first request of the overview until its numbers and both charts are drawn; the tables below follow. */
async function overview({ root, context }: Served): Promise<number> {
  const opened = await context();
  const page = await opened.newPage();
  await page.goto(`${root}/analytics`);
  const ms = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelectorAll('main figure svg').length < 2) return requestAnimationFrame(look);
      const all = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/desk/api/analytics'));
      resolve(performance.now() - Math.min(...all.map(({ startTime }) => startTime)));
    };
    look();
  })`);
  await page.waitForLoadState('networkidle');
  await opened.close();
  return ms;
}

if (import.meta.main) await runAlone(desk);
