import type { FetchFunction } from '@slack/web-api';
import type { Histogram } from 'prom-client';

import { inCall } from '../../platform/tracing.ts';

/** The Web API client's `fetch`, timed and traced by method. */
export function timedFetch(seconds: Histogram<'method'>): FetchFunction {
  return async (url, init) => {
    const method = methodOf(url);
    const end = seconds.startTimer({ method });
    try {
      // No trace headers to Slack.
      return await inCall(`chat ${method}`, () => globalThis.fetch(url, init));
    } finally {
      end();
    }
  };
}

/** Returns the method of a URL: `…/api/chat.postMessage` → `chat.postMessage`; uploads count as one more method. */
function methodOf(url: string | URL): string {
  return /\/([a-z]+(?:\.[A-Za-z]+)+)$/.exec(new URL(url).pathname)?.[1] ?? 'other';
}
