import { useRef, useState } from 'react';

import { Refusal } from '../../api/call.ts';

export interface Saved {
  state: 'idle' | 'saving' | 'saved' | 'failed';
  /** Why the latest write failed; a sentence for people. */
  error: string | undefined;
  /** Writes; resolves to whether it succeeded. Of two concurrent writes the later one is shown. */
  save: (write: () => Promise<unknown>) => Promise<boolean>;
}

/** Thrown by a write that the person called off before anything was written. */
export class CalledOff extends Error {
  override name = 'CalledOff';
}

/** The state of the writes of one field or form, to be shown beside it (`SavedSign`). */
export function useSaved(): Saved {
  const [shown, setShown] = useState<Pick<Saved, 'state' | 'error'>>({ state: 'idle', error: undefined });
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
      else if (error instanceof Refusal) show('failed', error.message);
      else throw error;
      return false;
    }
  };
  return { ...shown, save };
}
