import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react';

import { Refusal } from '../api/call.ts';
import { addressOf, type FileRecord } from './record.ts';
import { upload } from './upload.ts';

/** A file on its way to the service, or one that failed. */
export interface Uploading {
  key: string;
  file: File;
  /** The part that was sent, from 0 to 1. */
  share: number;
  /** Why it failed. */
  reason?: string;
  stop: AbortController;
}

export type Uploads = ReturnType<typeof useUploads>;

/**
 * Files that are picked, pasted or dropped: each is uploaded at once, one after the other. Those that are left half-way
 * are cancelled with the page.
 * @param address where they are uploaded to.
 * @param files those that are uploaded, kept by the caller.
 * @param onFiles changes them; it may be called with a function of an earlier drawing.
 */
export function useUploads(
  address: string,
  files: readonly FileRecord[],
  onFiles: (change: (files: readonly FileRecord[]) => readonly FileRecord[]) => void,
) {
  const [entries, setEntries] = useState<readonly Uploading[]>([]);
  const [isDropping, setDropping] = useState(false);
  /** The service stores no files. */
  const [isAbsent, setAbsent] = useState(false);
  const line = useRef<Promise<void>>(Promise.resolve());
  const running = useRef(new Set<AbortController>());
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const stop of current) stop.abort();
    };
  }, []);

  const change = (key: string, part: Partial<Uploading>) =>
    setEntries((all) => all.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const forget = (key: string) => setEntries((all) => all.filter((each) => each.key !== key));

  async function send({ key, file, stop }: Uploading): Promise<void> {
    try {
      const record = await upload(address, file, {
        signal: stop.signal,
        onShare: (share) => change(key, { share }),
      });
      onFiles((all) => [...all, record]);
      forget(key);
    } catch (error) {
      if (stop.signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404 || error.status === 405) setAbsent(true);
      change(key, { reason: error.message, share: 0 });
    } finally {
      running.current.delete(stop);
    }
  }

  const begin = (entry: Uploading) => {
    running.current.add(entry.stop);
    line.current = line.current.catch(() => undefined).then(() => send(entry));
  };
  const add = (list: FileList | null) => {
    const added = [...(list ?? [])].map((file) => ({
      key: crypto.randomUUID(),
      file,
      share: 0,
      stop: new AbortController(),
    }));
    setEntries((all) => [...all, ...added]);
    for (const entry of added) begin(entry);
  };

  return {
    files,
    entries,
    isDropping,
    isAbsent,
    /** Some are still on their way. */
    isBusy: entries.some(({ reason }) => reason === undefined),
    add,
    /** Cancels one, or takes one off that failed. */
    cancel: ({ key, stop }: Uploading) => {
      stop.abort();
      forget(key);
    },
    retry: ({ key, file }: Uploading) => {
      const entry = { key, file, share: 0, stop: new AbortController() };
      setEntries((all) => all.map((each) => (each.key === key ? entry : each)));
      begin(entry);
    },
    remove: (id: string) => onFiles((all) => all.filter((file) => file.id !== id)),
    /** Properties of the element that files are dropped on and pasted into. */
    target: {
      onPaste: (event: ClipboardEvent) => {
        const { types, files: pasted } = event.clipboardData;
        // A copied part of a table or document brings a picture of itself along: its text is meant.
        const isText = types.includes('text/plain') && types.includes('text/html');
        if (pasted.length === 0 || isText) return;
        event.preventDefault();
        event.stopPropagation();
        add(pasted);
      },
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        event.stopPropagation();
        setDropping(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setDropping(false);
      },
      onDrop: (event: DragEvent) => {
        setDropping(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        add(event.dataTransfer.files);
      },
    },
  };
}

/** The ids of those files of a draft, as it was when the page was opened, that are gone from the service. */
export function useGone(files: readonly FileRecord[]): readonly string[] {
  const [restored] = useState(() => files.map(({ id, url }) => ({ id, url })));
  const { data: gone = [] } = useQuery({
    queryKey: ['gone files', restored],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        restored.map(async ({ id, url }) => {
          const { status } = await fetch(addressOf(url), { headers: { range: 'bytes=0-0' }, signal });
          return status === 404 ? [id] : [];
        }),
      );
      return found.flat();
    },
    enabled: restored.length > 0,
    staleTime: Infinity,
  });
  return gone;
}
