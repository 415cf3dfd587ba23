import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';

import { call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { operationKey, queryClient } from '../api/query.ts';
import type { FileRecord } from '../files/record.ts';
import { useGone } from '../files/uploads.ts';
import {
  draftFrom,
  isEmpty,
  isReadTooEarly,
  type Kept as KeptOf,
  type Stored as StoredOf,
} from './draft-from.ts';
import { fromContent, type Mentioned, toContent } from './mentions.ts';

/** An unsent message on a ticket. */
export interface Draft {
  text: string;
  mentioned: Mentioned;
  isPrivate: boolean;
  /** Uploaded, and attached when it is sent. */
  files: readonly FileRecord[];
}

type Stored = StoredOf<FileRecord>;
type Kept = KeptOf<FileRecord>;

const SAVE_AFTER_MS = 1_200;
/**
 * What a browser sends for a page that is being closed (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch).
 */
const KEEPALIVE_CHARACTERS = 15_000;
const EMPTY: Draft = { text: '', mentioned: {}, isPrivate: false, files: [] };

const place = (me: string | undefined, ticketId: string) => `draft ${me ?? 'key'} ${ticketId}`;
const draftKey = (ticketId: string) => operationKey('readDraft', { params: { id: ticketId } });

function readHere(me: string | undefined, ticketId: string): Kept | undefined {
  try {
    return (JSON.parse(localStorage.getItem(place(me, ticketId)) ?? 'null') as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeHere(me: string | undefined, ticketId: string, draft: Kept | undefined): void {
  try {
    if (draft) localStorage.setItem(place(me, ticketId), JSON.stringify(draft));
    else localStorage.removeItem(place(me, ticketId));
  } catch {
    // A browser without storage: the service keeps the draft.
  }
}

/** The service has no drafts, or none for this person: the browser alone keeps them. */
let isAbsent = false;
/** Drafts that the service does not have yet, by ticket, and how each is written. */
const waiting = new Map<
  string,
  { timer: ReturnType<typeof setTimeout>; write: (isLeaving: boolean) => void }
>();
/** One write of a ticket's draft after the other. */
const lines = new Map<string, Promise<unknown>>();

function writeSoon(me: string | undefined, ticketId: string, draft: Kept): void {
  clearTimeout(waiting.get(ticketId)?.timer);
  const write = (isLeaving: boolean) => {
    clearTimeout(waiting.get(ticketId)?.timer);
    waiting.delete(ticketId);
    const before = isLeaving ? undefined : lines.get(ticketId);
    lines.set(
      ticketId,
      (before ?? Promise.resolve()).then(() => store(me, ticketId, draft, isLeaving)),
    );
  };
  waiting.set(ticketId, { timer: setTimeout(() => write(false), SAVE_AFTER_MS), write });
}

/**
 * Brings a draft to the service. What does not arrive stays in this browser, and is sent when the ticket is opened
 * again.
 */
async function store(
  me: string | undefined,
  ticketId: string,
  draft: Kept,
  isLeaving: boolean,
): Promise<void> {
  if (isAbsent) return;
  const { content, isPrivate, files = [] } = draft;
  const params = { id: ticketId };
  const keepalive = isLeaving && content.length < KEEPALIVE_CHARACTERS;
  try {
    const stored = isEmpty(draft)
      ? await call('deleteDraft', { params }, { keepalive }).then(() => null)
      : await call(
          'putDraft',
          { params, body: { content, isPrivate, fileIds: files.map(({ id }) => id) } },
          { keepalive },
        );
    queryClient.setQueryData<Stored | null>(draftKey(ticketId), stored);
    const now = readHere(me, ticketId);
    // What was typed since then comes from the stored one.
    if (now && now.change !== draft.change)
      writeHere(me, ticketId, { ...now, from: stored?.updatedAt ?? null });
    else if (stored) writeHere(me, ticketId, { ...draft, from: stored.updatedAt, isStored: true });
    else writeHere(me, ticketId, undefined);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isLacking(error, ticketId)) isAbsent = true;
  }
}

/** Forgets what was typed here on a ticket that the person may no longer read: it may quote it. */
export function forgetDraft(me: string | undefined, ticketId: string): void {
  clearTimeout(waiting.get(ticketId)?.timer);
  waiting.delete(ticketId);
  writeHere(me, ticketId, undefined);
}

type Change = (make: (now: Draft) => Draft) => void;
/** The drafts that are shown, by ticket. */
const shownDrafts = new Map<string, Change>();

/** Puts what was sent, and undone, back into the draft of its ticket, above what was typed since. */
export function putBack(
  me: string | undefined,
  ticketId: string,
  sent: { content: string; files: readonly FileRecord[] },
): void {
  const former = fromContent(sent.content);
  const make = (now: Draft): Draft => ({
    text: now.text ? `${former.text}\n\n${now.text}` : former.text,
    mentioned: { ...former.mentioned, ...now.mentioned },
    // A note that was begun meanwhile stays one: what it says is not for the requester.
    isPrivate: now.isPrivate && now.text !== '',
    files: [...sent.files, ...now.files],
  });
  const change = shownDrafts.get(ticketId);
  if (change) change(make);
  else keepDraft(me, ticketId, make(draftOf(readHere(me, ticketId))), null);
}

/** A draft as the user typed it. */
function draftOf(kept: Omit<Stored, 'updatedAt'> | undefined): Draft {
  if (!kept) return EMPTY;
  return { ...fromContent(kept.content), isPrivate: kept.isPrivate, files: kept.files ?? [] };
}

/** Keeps a draft here, and brings it to the service soon. */
function keepDraft(me: string | undefined, ticketId: string, next: Draft, from: string | null): void {
  const kept: Kept = {
    content: toContent(next.text, next.mentioned),
    isPrivate: next.isPrivate,
    files: next.files,
    change: `${Date.now()} ${Math.random()}`,
    from: from ?? readHere(me, ticketId)?.from ?? null,
    isStored: false,
  };
  writeHere(me, ticketId, kept);
  writeSoon(me, ticketId, kept);
}

/** A page that is hidden may be closed without another word, on a phone at any time. */
function writeAll(): void {
  for (const { write } of waiting.values()) write(true);
}
addEventListener('pagehide', writeAll);
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && writeAll());

/**
 * The draft of a ticket: in this browser at once, and at the service soon, so that it is there on another computer.
 * What this browser has not brought to the service is brought there when the ticket is opened.
 */
export function useDraft(me: string | undefined, ticketId: string) {
  const [here] = useState(() => readHere(me, ticketId));
  const [typed, setTyped] = useState<Draft>();
  const gone = useGone(here?.files ?? []);
  const { data: there, refetch } = useQuery<Stored | null>({
    queryKey: draftKey(ticketId),
    queryFn: async ({ signal }) => {
      try {
        return await call('readDraft', { params: { id: ticketId } }, { signal });
      } catch (error) {
        if (!(error instanceof Refusal) || !(await isLacking(error, ticketId))) throw error;
        isAbsent = true;
        return null;
      }
    },
    enabled: !isAbsent,
  });
  const [isReadAgain, setReadAgain] = useState(false);
  const isTooEarly = !isReadAgain && there !== undefined && isReadTooEarly(here, there);
  useEffect(() => {
    if (isTooEarly) void refetch().then(({ isSuccess }) => setReadAgain(isSuccess));
  }, [isTooEarly, refetch]);
  const newest = there === undefined || isAbsent || isTooEarly ? here : draftFrom(here, there);
  const { files = [] } = newest ?? {};
  const draft: Draft =
    typed ?? (newest ? draftOf({ ...newest, files: files.filter(({ id }) => !gone.includes(id)) }) : EMPTY);
  /** The newest state, also if it is not rendered yet: files arrive at any time. */
  const latest = useRef(draft);
  useLayoutEffect(() => {
    latest.current = draft;
  });

  const keep = (next: Draft): void => keepDraft(me, ticketId, next, there?.updatedAt ?? null);
  const isBrought = useRef(false);
  useEffect(() => {
    // Written before the page was closed, or without a connection: brought to the service once its own is known.
    if (isBrought.current || there === undefined || typed || !here || here.isStored) return;
    isBrought.current = true;
    keep(latest.current);
  });

  const change: Change = (make) => {
    const next = make(latest.current);
    latest.current = next;
    setTyped(next);
    keep(next);
  };
  const changeNow = useEffectEvent(change);
  useEffect(() => {
    shownDrafts.set(ticketId, (make) => changeNow(make));
    return () => void shownDrafts.delete(ticketId);
  }, [ticketId]);

  return {
    draft,
    /** Keeps what is typed and attached. */
    change,
    /** Shows an empty field while the message is on its way; the draft stays until it has arrived. */
    hide: (isPrivate: boolean) => {
      clearTimeout(waiting.get(ticketId)?.timer);
      waiting.delete(ticketId);
      latest.current = { ...EMPTY, isPrivate };
      setTyped(latest.current);
    },
    /** The message has arrived. What was typed since stays. */
    drop: (content: string) => {
      if (readHere(me, ticketId)?.content.trim() !== content) return;
      keep(EMPTY);
      waiting.get(ticketId)?.write(false);
    },
  };
}
