import { onTestFinished } from 'vitest';

import { createDesk } from '../../src/desk/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';

export interface OpenDesk {
  url: string;
  /** Every logged line as text. */
  lines: string[];
  /** A request as the page sends it, with its session cookie. */
  ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Asked>;
  /** As the service notifies it. */
  checkSessions: () => void;
  tellReaders: () => void;
}

export interface DeskSettings {
  clock?: DeskClock;
  /** Whether people sign in as themselves. */
  signIn?: boolean;
  publicUrl?: string;
  lookEveryMs?: number;
  firstDataMs?: number;
}

export interface Asked {
  status: number;
  headers: Headers;
  /** Everything sent to the browser: headers and body. */
  text: string;
  body: Record<string, unknown>;
}

/** A movable clock, which begins at the tests' time. */
export interface DeskClock {
  aheadMs: number;
}

/** A desk for the service at this URL (with `/api`), on a real server; stopped at the end of the test. */
export async function openDesk(
  serviceUrl: string,
  {
    clock = { aheadMs: 0 },
    signIn = false,
    publicUrl = 'http://127.0.0.1',
    lookEveryMs = 50,
    // A busy machine takes its time.
    firstDataMs = 60_000,
  }: DeskSettings = {},
): Promise<OpenDesk> {
  const lines: string[] = [];
  const log = createLog({
    level: 'trace',
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const newId = createIds(systemClock);
  const http = createHttpServer({ log, newId, metrics: createMetrics(), host: '127.0.0.1', port: 0 });
  const desk = createDesk({
    service: { url: serviceUrl, tokenHeader: 'x-service-api-token' },
    signIn,
    encryptionKeys: [Buffer.alloc(32, 'desk')],
    publicUrl,
    threadUrl: async (channel, ts) => `https://chat.example/${channel}/${ts}`,
    chat: {
      channels: async () => [{ id: 'C0LAMPS', name: 'lamps', isPrivate: false, teamId: 'T0ACME' }],
      members: async () =>
        ['Ada', 'Ben'].map((name) => ({
          id: `U0${name.toUpperCase()}`,
          name: `${name} Lamp`,
          handle: name.toLowerCase(),
          email: `${name}@acme.example`,
          teamId: 'T0ACME',
        })),
    },
    clock: { now: () => new Date(systemClock.now().getTime() + clock.aheadMs) },
    random: () => 0.5,
    log,
    lookEveryMs,
    firstDataMs,
  });
  await http.app.register(desk.plugin);
  http.setNotFoundPage(desk.notFoundPage);
  const { port } = await http.listen();
  onTestFinished(async () => {
    await http.stop();
    await desk.stop();
  });
  const url = `http://127.0.0.1:${port}`;
  let cookie = '';
  return {
    url,
    lines,
    checkSessions: () => desk.checkSessions(),
    tellReaders: () => desk.tellReaders(),
    ask: async (method, path, body, headers = {}) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(cookie && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const set = answer.headers.get('set-cookie');
      if (set !== null) cookie = set.split(';')[0] ?? '';
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      return {
        status: answer.status,
        headers: answer.headers,
        text: `${JSON.stringify([...answer.headers])}\n${text}`,
        body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      };
    },
  };
}

/** Listens to what a browser is told at once, until the test ends. */
export async function listenTo(
  desk: { url: string },
  cookie: string,
): Promise<{ heard: () => string; ended: Promise<void> }> {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const stream = await fetch(`${desk.url}/desk/live`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    signal: leave.signal,
  });
  const decoder = new TextDecoder();
  let heard = '';
  const ended = (async () => {
    for await (const bytes of stream.body ?? [])
      heard += decoder.decode(bytes as Uint8Array, { stream: true });
  })();
  // Who waits for its end is told why it broke; at the end of the test it is left.
  ended.catch(() => undefined);
  return { heard: () => heard, ended };
}
