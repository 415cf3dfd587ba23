import { createContext, useContext } from 'react';

/** The kit's own texts. */
export interface Words {
  close: string;
  loading: string;
  nothingFound: string;
  /** The name of the corner that messages are shown in. */
  messages: string;
  undo: string;
  /** Offers to add what was typed. */
  create: (name: string) => string;
}

/** English; a page whose texts are in a catalogue gives the kit its own. */
export const WordsContext = createContext<Words>({
  close: 'Close',
  loading: 'Loading…',
  nothingFound: 'Nothing found',
  messages: 'Notices',
  undo: 'Undo',
  create: (name) => `Create “${name}”`,
});

export const useWords = (): Words => useContext(WordsContext);
