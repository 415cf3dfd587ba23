import { useEffect, useSyncExternalStore } from 'react';

import { onConnection } from './call.ts';
import { queryClient } from './query.ts';
import { sessionQuery } from './session.ts';
import { readersChanged, ticketsChanged } from './tickets.ts';

const AGAIN_MS = 3_000;

/** Since when the desk cannot be reached; undefined while it can. */
let lostSince: Date | undefined;
const watchers = new Set<() => void>();

function setLost(isLost: boolean): void {
  if (isLost === Boolean(lostSince)) return;
  lostSince = isLost ? new Date() : undefined;
  for (const watcher of watchers) watcher();
}

/** Since when the desk cannot be reached; undefined while it can. */
export const useLostSince = (): Date | undefined =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => lostSince,
  );

const checkSession = () => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });

/** Data of the live stream's other events, for those who show them. */
type Handler = (data: unknown) => void;
const handlers = new Map<string, Set<Handler>>();

/** Calls back for each event of a name on the live stream: `presence`, `notifications`. */
export function useLiveEvent(name: string, handler: Handler): void {
  useEffect(() => {
    const all = handlers.get(name) ?? new Set<Handler>();
    handlers.set(name, all.add(handler));
    return () => void all.delete(handler);
  }, [name, handler]);
}

let source: EventSource | undefined;
let again: ReturnType<typeof setTimeout> | undefined;

function close(): void {
  source?.close();
  source = undefined;
  clearTimeout(again);
}

function open(): void {
  close();
  // Tabs in the background would take all of the few connections that a browser has to one server.
  if (document.hidden) return;
  source = new EventSource('/desk/live');
  source.addEventListener('ready', () => {
    // Changes during a lost connection sent no event.
    if (lostSince) ticketsChanged();
    setLost(false);
  });
  source.addEventListener('changed', ({ data }: MessageEvent<string>) =>
    ticketsChanged((JSON.parse(data) as { tickets: string[] }).tickets),
  );
  source.addEventListener('access', () => {
    checkSession();
    readersChanged();
  });
  source.addEventListener('readers', readersChanged);
  source.addEventListener('signed-out', checkSession);
  for (const name of ['presence', 'notifications'])
    source.addEventListener(name, ({ data }: MessageEvent<string>) => {
      for (const handler of handlers.get(name) ?? []) handler(JSON.parse(data));
    });
  source.addEventListener('error', () => {
    setLost(true);
    if (source?.readyState !== EventSource.CLOSED) return;
    again = setTimeout(open, AGAIN_MS);
  });
}

/** Follows the changes of others while the page is shown and somebody is signed in. */
export function useLive(isSignedIn: boolean): void {
  useEffect(() => {
    if (!isSignedIn) return;
    const stop = onConnection((event) => {
      if (event === 'unreachable') setLost(true);
      else if (event === 'reached' && lostSince) open();
      else if (event === 'signed-out') checkSession();
    });
    const onShown = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', onShown);
    open();
    return () => {
      stop();
      document.removeEventListener('visibilitychange', onShown);
      close();
    };
  }, [isSignedIn]);
}

/** Tries at once to reach the desk again. */
export const retryNow = (): void => open();
