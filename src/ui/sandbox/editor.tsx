import { useLayoutEffect, useRef } from 'react';

import { NativeButton } from '../kit/native-button.tsx';
import { NativeTextArea } from '../kit/native-field.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { store } from './store.ts';
import { useSuggestions } from './suggest.tsx';
import type { Message } from './types.ts';

/** Edits a message in place: Enter saves, Escape cancels. */
export function Editor({ message, onClose }: { message: Message; onClose: () => void }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const id = `edit-${message.ts}`;
  const suggestions = useSuggestions(area, id);
  useLayoutEffect(() => area.current?.focus(), []);
  const save = async () => {
    const text = area.current?.value ?? '';
    const done = await attempt(api.edit({ channel: message.channel, user: store.me, ts: message.ts, text }));
    if (done) onClose();
  };
  return (
    <form
      ref={form}
      className="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {suggestions.shown}
      <NativeTextArea
        ref={area}
        rows={2}
        id={id}
        aria-label="Edit the message"
        {...suggestions.aria}
        defaultValue={plain(message.text)}
        onInput={suggestions.look}
        onBlur={suggestions.close}
        onKeyDown={(event) => {
          if (suggestions.onKeyDown(event)) return;
          if (event.key === 'Escape') {
            event.stopPropagation();
            onClose();
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            form.current?.requestSubmit();
          }
        }}
      />
      <div className="editor-foot">
        <NativeButton onClick={onClose}>Cancel</NativeButton>
        <NativeButton type="submit" kind="primary">
          Save
        </NativeButton>
      </div>
    </form>
  );
}

/** A message's text as it was typed: mentions by name, nothing escaped. */
function plain(text: string): string {
  return text
    .replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (whole: string, id: string) => {
      const person = store.person(id);
      return person ? `@${person.name}` : whole;
    })
    .replace(
      /<#(C[A-Z0-9]+)(?:\|([^>]*))?>/g,
      (whole: string, id: string, name?: string) => `#${store.channel(id)?.name ?? name ?? whole}`,
    )
    .replace(/<((?:https?:|mailto:)[^|>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
