import { notifyManager } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { reasonOf, toastRefusal } from './toast-refusal.ts';

export interface Saved {
  state: 'idle' | 'saving' | 'saved' | 'failed';
  isSaving: boolean;
  /** Why the latest write failed; a sentence for people. */
  error: string | undefined;
  /** Writes; resolves to whether it succeeded. Of two concurrent writes the later one is shown. */
  save: (write: () => Promise<unknown>) => Promise<boolean>;
  /** Begins anew: the failure was about something else. */
  reset: () => void;
}

const IDLE = { state: 'idle', error: undefined } as const;

/** Thrown by a write that the person called off before anything was written. */
export class CalledOff extends Error {
  override name = 'CalledOff';
}

/** The state of the writes of one field, form or dialog, to be shown in it (`SavedSign`, `Failure`). */
export function useSaved(): Saved {
  const [shown, setShown] = useState<Pick<Saved, 'state' | 'error'>>(IDLE);
  const turn = useRef(0);
  const save = async (write: () => Promise<unknown>) => {
    const mine = ++turn.current;
    const show = (state: Saved['state'], error?: string) => {
      if (mine === turn.current) setShown({ state, error });
    };
    show('saving');
    try {
      await write();
      show('saved');
      return true;
    } catch (error) {
      if (error instanceof CalledOff) show('idle');
      else show('failed', reasonOf(error));
      return false;
    }
  };
  return { ...shown, isSaving: shown.state === 'saving', save, reset: () => setShown(IDLE) };
}

/** Runs the writes of one value one after the other, so that the service has the latest one in the end. */
export function useInTurn(): <Answer>(write: () => Promise<Answer>) => Promise<Answer> {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (write) => {
    const mine = last.current.then(write);
    last.current = mine.catch(() => undefined);
    return mine;
  };
}

/** Runs once the page shows what was read: a query tells of it a moment after a write has read it. */
export const whenShown = (run: () => void): void => notifyManager.schedule(run);

/**
 * A value that is written when it is chosen: it is shown at once, and taken back if the write fails. One that is chosen
 * before the former is written starts from that, and is written after it.
 */
export function useSavedValue<Value>(
  value: Value,
  write: (next: Value) => Promise<unknown>,
): { shown: Value; saved: Saved; choose: (next: Value) => Promise<boolean> } {
  const saved = useSaved();
  const inTurn = useInTurn();
  const [pending, setPending] = useState<{ next: Value }>();
  const choose = async (next: Value) => {
    const mine = { next };
    setPending(mine);
    const isDone = await saved.save(() => inTurn(() => write(next)));
    whenShown(() => setPending((now) => (now === mine ? undefined : now)));
    return isDone;
  };
  return { shown: pending ? pending.next : value, saved, choose };
}

/** Writes of what has no place for a failure: a toast shows it. */
export function useToasted(): { isBusy: boolean; run: (write: () => Promise<unknown>) => Promise<boolean> } {
  const [isBusy, setBusy] = useState(false);
  const run = async (write: () => Promise<unknown>) => {
    setBusy(true);
    try {
      return await toastRefusal(write);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}
