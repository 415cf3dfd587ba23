import { type RefObject, useRef, useState } from 'react';

import { usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import type { Draft } from './drafts.ts';
import type { Permissions } from './may.ts';
import type { Mentioned } from './mentions.ts';
import { useSuggestions } from './suggestions.tsx';
import { applyEdit, editSelection } from './apply-edit.ts';
import { type Edit, replaceRange, tokenAt, type Trigger } from './text-edits.ts';

/** The text typed on a ticket, by keys, suggestions and buttons. */
export function useTyping({
  field,
  draft,
  ticket,
  may,
  onType,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  draft: Draft;
  ticket: TicketDetail;
  may: Permissions;
  onType: (text: string, mentioned: Mentioned) => void;
}) {
  /** The names that an edit inserts, which its own input event does not know yet. */
  const inserted = useRef<Mentioned>(undefined);
  const [caret, setCaret] = useState<number>();
  /** Where the button has put a colon: all emoji are offered there. */
  const [colonAt, setColonAt] = useState<number>();
  const me = usePerson(may.me);
  const requester = usePerson(ticket.requesterId);
  const token = caret === undefined ? undefined : tokenAt(draft.text, caret, colonAt);

  const putNaming = (mentioned: Mentioned, make: (area: HTMLTextAreaElement) => Edit) => {
    const area = field.current;
    if (!area) return;
    inserted.current = { ...draft.mentioned, ...mentioned };
    applyEdit(area, make(area));
    inserted.current = undefined;
  };
  const suggestions = useSuggestions(token, {
    ticket,
    me,
    requester,
    isTeam: may.isWorker,
    onPick: (text, mentioned) => {
      if (token)
        putNaming(mentioned ? { [mentioned.name]: mentioned.id } : {}, () =>
          replaceRange(text, token.from, token.to),
        );
    },
  });

  return {
    suggestions,
    /** Changes the text by an edit that may mention these people. */
    putNaming,
    /** Puts a sign at the caret, as if it was typed: what it suggests is shown. */
    offer: (trigger: Trigger) => {
      const sign = spaced(field.current, trigger);
      if (trigger === ':') setColonAt((field.current?.selectionStart ?? 0) + sign.length - 1);
      editSelection(field.current, (_text, from, to) => replaceRange(sign, from, to));
    },
    onChange: ({ target }: { target: HTMLTextAreaElement }) => {
      onType(target.value, inserted.current ?? draft.mentioned);
      setCaret(target.selectionStart);
    },
    onSelect: () => {
      const area = field.current;
      setCaret(area && area.selectionStart === area.selectionEnd ? area.selectionStart : undefined);
    },
    onBlur: () => setCaret(undefined),
  };
}

/** A sign that opens suggestions, after a space where one is needed. */
function spaced(area: HTMLTextAreaElement | null, sign: string): string {
  const before = area?.value.slice(0, area.selectionStart) ?? '';
  return before === '' || /\s$/.test(before) ? sign : ` ${sign}`;
}
