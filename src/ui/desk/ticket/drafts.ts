import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';

import { call, Refusal } from '../api/call.ts';
import { keyOf, queryClient } from '../api/query.ts';
import type { FileRecord } from '../files/record.ts';
import { useGone } from '../files/uploads.ts';
import { fromContent, type Mentioned, toContent } from './mentions.ts';

/** What is being written on a ticket. */
export interface Draft {
  text: string;
  mentioned: Mentioned;
  isPrivate: boolean;
  /** Uploaded, and attached when it is sent. */
  files: readonly FileRecord[];
}

interface Stored {
  content: string;
  isPrivate: boolean;
  /** Another service does not keep them. */
  files?: readonly FileRecord[];
  updatedAt: string;
}

const SAVE_AFTER_MS = 1_200;
const EMPTY: Draft = { text: '', mentioned: {}, isPrivate: false, files: [] };

const place = (me: string | undefined, ticketId: string) => `draft ${me ?? 'key'} ${ticketId}`;
const draftKey = (ticketId: string) => keyOf('readDraft', { params: { id: ticketId } });

function readHere(me: string | undefined, ticketId: string): Stored | undefined {
  try {
    return (JSON.parse(localStorage.getItem(place(me, ticketId)) ?? 'null') as Stored | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeHere(me: string | undefined, ticketId: string, draft: Stored | undefined): void {
  try {
    if (draft) localStorage.setItem(place(me, ticketId), JSON.stringify(draft));
    else localStorage.removeItem(place(me, ticketId));
  } catch {
    // A browser without storage: the service keeps the draft.
  }
}

/** The service has no drafts, or none for this person: the browser alone keeps them. */
let isAbsent = false;
const timers = new Map<string, ReturnType<typeof setTimeout>>();
/** One write of a ticket's draft after the other. */
const lines = new Map<string, Promise<unknown>>();

function write(ticketId: string, draft: Stored | undefined): void {
  clearTimeout(timers.get(ticketId));
  timers.delete(ticketId);
  if (isAbsent) return;
  queryClient.setQueryData<Stored | null>(draftKey(ticketId), draft ?? null);
  const params = { id: ticketId };
  const writing = (lines.get(ticketId) ?? Promise.resolve()).then(async () => {
    try {
      if (draft) {
        const { content, isPrivate, files = [] } = draft;
        await call('putDraft', { params, body: { content, isPrivate, fileIds: files.map(({ id }) => id) } });
      } else await call('deleteDraft', { params });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.isAbsent) isAbsent = true;
    }
  });
  lines.set(ticketId, writing);
}

/**
 * The draft of a ticket: in this browser at once, and at the service soon, so that it is there on another computer. What
 * was written last wins, until something is typed here.
 */
export function useDraft(me: string | undefined, ticketId: string) {
  const [here] = useState(() => readHere(me, ticketId));
  const [typed, setTyped] = useState<Draft>();
  const gone = useGone(here?.files ?? []);
  const { data: there } = useQuery<Stored | null>({
    queryKey: draftKey(ticketId),
    queryFn: async ({ signal }) => {
      try {
        return await call('readDraft', { params: { id: ticketId } }, signal);
      } catch (error) {
        if (error instanceof Refusal && error.isAbsent) return null;
        throw error;
      }
    },
    enabled: !isAbsent,
  });
  const newest = there && (!here || here.updatedAt < there.updatedAt) ? there : here;
  const { files = [] } = newest ?? {};
  const draft: Draft =
    typed ??
    (newest
      ? {
          ...{ ...fromContent(newest.content), isPrivate: newest.isPrivate },
          files: files.filter(({ id }) => !gone.includes(id)),
        }
      : EMPTY);
  /** What is drawn, or is about to be: files arrive at any time. */
  const latest = useRef(draft);
  useLayoutEffect(() => {
    latest.current = draft;
  });

  return {
    draft,
    /** Keeps what is typed and attached. */
    change: (make: (now: Draft) => Draft) => {
      const next = make(latest.current);
      latest.current = next;
      setTyped(next);
      const content = toContent(next.text, next.mentioned);
      const { isPrivate, files } = next;
      const stored =
        content.trim() || files.length > 0
          ? { content, isPrivate, files, updatedAt: new Date().toISOString() }
          : undefined;
      writeHere(me, ticketId, stored);
      clearTimeout(timers.get(ticketId));
      timers.set(
        ticketId,
        setTimeout(() => write(ticketId, stored), SAVE_AFTER_MS),
      );
    },
    /** Shows an empty field while the message is on its way; the draft stays until it has arrived. */
    hide: (isPrivate: boolean) => {
      clearTimeout(timers.get(ticketId));
      latest.current = { ...EMPTY, isPrivate };
      setTyped(latest.current);
    },
    /** The message has arrived. What was typed since stays. */
    drop: (content: string) => {
      if (readHere(me, ticketId)?.content.trim() !== content) return;
      writeHere(me, ticketId, undefined);
      write(ticketId, undefined);
    },
  };
}
