import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

import { addressOf, call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { useLiveEvent } from '../api/live.ts';
import { operationKey, queryClient } from '../api/query.ts';
import { SETTLED_MS } from './settled.ts';

/** The service keeps a presence for 30 seconds. */
const AGAIN_MS = 20_000;
/** A user who has pressed no key for this long is no longer typing. */
const TYPING_MS = 8_000;
/** How often those who are there are read: they come and go without a change of the ticket. */
const READ_MS = 7_000;
/** The same while somebody types, who may stop at any moment. */
const READ_TYPING_MS = 2_000;

export interface Present {
  userId: string;
  name: string;
  state: string;
  until: string;
}
interface Presence {
  people: Present[];
}

/** The service knows no presence, or not for this person. */
let isAbsent = false;

const presenceKey = (ticketId: string) => operationKey('readPresence', { params: { id: ticketId } });

/** Presence updates by ticket, sent in order: a late one must not show a user as typing after they sent the reply. */
const lines = new Map<string, Promise<void>>();

function put(ticketId: string, state: 'viewing' | 'typing'): Promise<void> {
  const line = (lines.get(ticketId) ?? Promise.resolve()).then(() => say(ticketId, state));
  lines.set(ticketId, line);
  return line;
}

async function say(ticketId: string, state: 'viewing' | 'typing'): Promise<void> {
  if (isAbsent) return;
  try {
    const answer = await call('putPresence', { params: { id: ticketId }, body: { state } });
    queryClient.setQueryData(presenceKey(ticketId), answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isLacking(error, ticketId)) isAbsent = true;
  }
}

/** Reads who is there; a failure changes nothing, the next read is soon. */
async function read(ticketId: string): Promise<void> {
  if (isAbsent) return;
  try {
    const answer = await call('readPresence', { params: { id: ticketId } });
    queryClient.setQueryData(presenceKey(ticketId), answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await isLacking(error, ticketId);
  }
}

/**
 * Says who is looking at the ticket, and tells the others that the signed-in person is.
 * @param newestAt when its newest message was written: whoever wrote it types no more.
 */
export function usePresence(ticketId: string, me: string | undefined, newestAt: string | undefined) {
  /** When a key was pressed last; 0 once what was typed is sent. */
  const typedAt = useRef(0);
  /** When the others were told last that the person types. */
  const toldAt = useRef(0);
  const idle = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { data } = useQuery({
    queryKey: presenceKey(ticketId),
    queryFn: async () => ({ people: [] as Present[] }),
    enabled: false,
    initialData: { people: [] as Present[] },
  });
  useLiveEvent(
    'presence',
    useCallback(
      (event: unknown) => {
        const found = event as Partial<Presence> & { ticketId: string };
        if (found.ticketId !== ticketId) return;
        if (found.people) queryClient.setQueryData(presenceKey(ticketId), { people: found.people });
        else void read(ticketId);
      },
      [ticketId],
    ),
  );
  const others = data.people.filter(({ userId }) => userId !== me);
  const isSomeoneTyping = others.some(({ state }) => state === 'typing');
  useEffect(() => {
    if (!isSomeoneTyping) return;
    const reading = setInterval(() => {
      if (!document.hidden) void read(ticketId);
    }, READ_TYPING_MS);
    return () => clearInterval(reading);
  }, [ticketId, isSomeoneTyping]);
  const formerAt = useRef(newestAt);
  useEffect(() => {
    const former = formerAt.current;
    formerAt.current = newestAt;
    if (former !== undefined && former !== newestAt && !document.hidden) void read(ticketId);
  }, [ticketId, newestAt]);
  useEffect(() => {
    let isTold = false;
    const tell = () => {
      if (document.hidden) return;
      isTold = true;
      void put(ticketId, Date.now() - typedAt.current < TYPING_MS ? 'typing' : 'viewing');
    };
    const leave = () => {
      if (!isTold || isAbsent) return;
      isTold = false;
      // The page may be closing: the request outlives it.
      void fetch(addressOf('putPresence', { params: { id: ticketId } }), {
        method: 'PUT',
        keepalive: true,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ state: 'gone' }),
      }).catch(() => undefined);
    };
    const onShown = () => (document.hidden ? leave() : tell());
    const first = setTimeout(tell, SETTLED_MS);
    const timer = setInterval(tell, AGAIN_MS);
    const reading = setInterval(() => {
      if (!document.hidden) void read(ticketId);
    }, READ_MS);
    document.addEventListener('visibilitychange', onShown);
    addEventListener('pagehide', leave);
    return () => {
      clearTimeout(first);
      clearTimeout(idle.current);
      clearInterval(timer);
      clearInterval(reading);
      document.removeEventListener('visibilitychange', onShown);
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [ticketId]);
  /** The signed-in person has sent what they typed, or left it. */
  const stopTyping = () => {
    clearTimeout(idle.current);
    if (typedAt.current === 0) return;
    [typedAt.current, toldAt.current] = [0, 0];
    void put(ticketId, 'viewing');
  };
  return {
    others,
    /** The signed-in person types. */
    typing: () => {
      const now = Date.now();
      typedAt.current = now;
      clearTimeout(idle.current);
      idle.current = setTimeout(stopTyping, TYPING_MS);
      if (now - toldAt.current < TYPING_MS) return;
      toldAt.current = now;
      void put(ticketId, 'typing');
    },
    stopTyping,
  };
}
