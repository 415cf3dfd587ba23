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
