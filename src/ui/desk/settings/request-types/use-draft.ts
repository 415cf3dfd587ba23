import { useState } from 'react';

import { useSession } from '../../api/session.ts';
import { type Draft, draftOf, type Question, type RequestType, versionOf } from './draft.ts';

export interface Editing {
  draft: Draft;
  isChanged: boolean;
  put: (part: Partial<Draft>) => void;
  putQuestion: (id: string, part: Partial<Question>) => void;
  /** Goes back to what is saved. */
  discard: () => void;
  /** Continues with the saved record; what was typed after `sent` stays. */
  settle: (record: RequestType, sent: Draft) => void;
  /** Forgets the draft: its record is gone. */
  forget: () => void;
}

/** The edited request type, kept in this tab until it is saved. `fresh` is the saved one, or an empty one. */
export function useDraft(fresh: Draft, record: RequestType | undefined): Editing {
  const session = useSession();
  const placeOf = (id: string | null) =>
    `draft ${session?.userId ?? ''} request-type ${id ?? `new ${fresh.type}`}`;
  const place = placeOf(fresh.id);
  const [{ draft, untouched }, set] = useState(() => {
    const kept = sessionStorage.getItem(place);
    return { draft: kept ? (JSON.parse(kept) as Draft) : fresh, untouched: JSON.stringify(fresh) };
  });
  const isChanged = JSON.stringify(draft) !== untouched;
  // Another user's change of a record that is only looked at.
  if (record && !isChanged && versionOf(record) !== draft.version)
    set({ draft: draftOf(record), untouched: JSON.stringify(draftOf(record)) });
  const change = (edit: (draft: Draft) => Draft) =>
    set((now) => {
      const next = edit(now.draft);
      const text = JSON.stringify(next);
      if (text === now.untouched) sessionStorage.removeItem(place);
      else sessionStorage.setItem(place, text);
      return { ...now, draft: next };
    });
  const forget = () => sessionStorage.removeItem(place);
  return {
    draft,
    isChanged,
    put: (part) => change((now) => ({ ...now, ...part })),
    putQuestion: (id, part) =>
      change((now) => ({
        ...now,
        questions: now.questions.map((each) => (each.id === id ? { ...each, ...part } : each)),
      })),
    discard: () => {
      forget();
      const saved = record ? draftOf(record) : fresh;
      set({ draft: saved, untouched: JSON.stringify(saved) });
    },
    settle: (saved, sent) => {
      forget();
      set((now) => {
        const clean = draftOf(saved);
        const isSame = JSON.stringify(now.draft) === JSON.stringify(sent);
        const draft = isSame ? clean : { ...now.draft, id: saved.id, version: versionOf(saved) };
        if (!isSame) sessionStorage.setItem(placeOf(saved.id), JSON.stringify(draft));
        return { draft, untouched: JSON.stringify(clean) };
      });
    },
    forget,
  };
}
