import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { call, Refusal } from '../api/call.ts';
import { keyOf, queryClient } from '../api/query.ts';
import { fromContent, type Mentioned, toContent } from './mentions.ts';

/** What is being written on a ticket. */
export interface Draft {
  text: string;
  mentioned: Mentioned;
  isPrivate: boolean;
}

interface Stored {
  content: string;
  isPrivate: boolean;
  updatedAt: string;
}

const SAVE_AFTER_MS = 1_200;
const EMPTY: Draft = { text: '', mentioned: {}, isPrivate: false };

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
  queryClient.setQueryData(draftKey(ticketId), draft ?? null);
  const params = { id: ticketId };
  const writing = (lines.get(ticketId) ?? Promise.resolve()).then(async () => {
    try {
      if (draft)
        await call('putDraft', { params, body: { content: draft.content, isPrivate: draft.isPrivate } });
      else await call('deleteDraft', { params });
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
  const { data: there } = useQuery({
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
  const draft = typed ?? (newest ? { ...fromContent(newest.content), isPrivate: newest.isPrivate } : EMPTY);

  return {
    draft,
    /** Keeps what is typed. */
    change: (next: Draft) => {
      setTyped(next);
      const content = toContent(next.text, next.mentioned);
      const stored = content.trim()
        ? { content, isPrivate: next.isPrivate, updatedAt: new Date().toISOString() }
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
      setTyped({ ...EMPTY, isPrivate });
    },
    /** The message has arrived. What was typed since stays. */
    drop: (content: string) => {
      if (readHere(me, ticketId)?.content.trim() !== content) return;
      writeHere(me, ticketId, undefined);
      write(ticketId, undefined);
    },
  };
}
