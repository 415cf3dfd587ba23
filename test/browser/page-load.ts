import type { BrowserContext, CDPSession, Page } from 'playwright-core';

import { until } from '../harness/until.ts';

/** As somebody at home has it: what a page may cost is counted with these. */
const NETWORK = {
  offline: false,
  latency: 80,
  downloadThroughput: 10_000_000 / 8,
  uploadThroughput: 10_000_000 / 8,
};
/** The longest quiet stretch before a page does more by itself: it marks a ticket as read after 0.8 s. */
const QUIET_MS = 1_500;

export interface Load {
  page: Page;
  /** Milliseconds from the navigation until the field takes a key. */
  usableMs: number;
  /** What the page asks for, each with its bytes, without what it writes because somebody looks and types. */
  requests: string[];
  /** Of those together, as sent: compressed, with headers. */
  bytes: number;
}

/** Runs before the page's own scripts: types into the field as soon as it is there, and notes when that is drawn. */
const WHEN_USABLE = `(field) => {
  window.usableAt = undefined;
  const look = () => {
    const found = document.querySelector(field);
    if (!found || found.disabled) return requestAnimationFrame(look);
    found.focus();
    document.execCommand('insertText', false, 'x');
    requestAnimationFrame(() => {
      if (!found.isConnected || !found.value.endsWith('x')) return requestAnimationFrame(look);
      window.usableAt = performance.now();
    });
  };
  requestAnimationFrame(look);
}`;

/**
 * Opens an address at 80 ms round trip and 10 Mbit/s, and counts all that the page asks for until it asks for nothing
 * more, untouched. In a new context the load is cold, in one that has opened it before it is warm.
 * @param field a selector of the text field that makes the page usable.
 */
export async function loadSlowly(context: BrowserContext, url: string, field: string): Promise<Load> {
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', NETWORK);
  const { requests, quiet, bytes } = count(network);
  await page.addInitScript(`(${WHEN_USABLE})(${JSON.stringify(field)})`);
  await page.goto(url, { waitUntil: 'commit' });
  await until('a field to type in', () => page.evaluate<boolean>('window.usableAt !== undefined'), {});
  await quiet();
  return {
    page,
    usableMs: await page.evaluate<number>('window.usableAt'),
    requests: requests(),
    bytes: bytes(),
  };
}

function count(network: CDPSession) {
  const requests = new Map<string, string>();
  const open = new Set<string>();
  const sizes = new Map<string, number>();
  let changedAt = performance.now();
  network.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    if (!request.url.startsWith('http')) return;
    changedAt = performance.now();
    if (request.method === 'GET' || request.url.endsWith('/counts'))
      requests.set(requestId, `${request.method} ${new URL(request.url).pathname}`);
    // A live stream never ends.
    if (type !== 'EventSource') open.add(requestId);
  });
  network.on('Network.requestServedFromCache', ({ requestId }) => void sizes.set(requestId, 0));
  const end = (requestId: string) => {
    changedAt = performance.now();
    open.delete(requestId);
  };
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!sizes.has(requestId)) sizes.set(requestId, encodedDataLength);
    end(requestId);
  });
  network.on('Network.loadingFailed', ({ requestId }) => end(requestId));
  return {
    requests: () => [...requests].map(([id, name]) => `${name} ${sizes.get(id) ?? 0}`),
    bytes: () => [...requests.keys()].reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
    quiet: () =>
      until('the page to ask for nothing more', () =>
        Promise.resolve(open.size === 0 && performance.now() - changedAt >= QUIET_MS),
      ),
  };
}

/** Presses `j`; resolves with the milliseconds until the next ticket's conversation is drawn. */
export async function timeToNext(page: Page): Promise<number> {
  await page.evaluate(`(() => {
    window.nextAt = undefined;
    const shown = () => document.querySelector('main[aria-label^="Ticket "]');
    const before = shown()?.getAttribute('aria-label');
    document.addEventListener('keydown', () => {
      const from = performance.now();
      const look = () => {
        const now = shown();
        const isDrawn = now && now.getAttribute('aria-label') !== before && !now.querySelector('[aria-label^="Loading"]');
        if (isDrawn) requestAnimationFrame(() => (window.nextAt = performance.now() - from));
        else requestAnimationFrame(look);
      };
      look();
    }, { once: true, capture: true });
  })()`);
  await page.keyboard.press('j');
  await until('the next ticket', () => page.evaluate<boolean>('window.nextAt !== undefined'));
  return page.evaluate<number>('window.nextAt');
}
