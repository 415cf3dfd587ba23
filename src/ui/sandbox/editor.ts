import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { append, h } from './dom.ts';
import { store } from './store.ts';
import { suggest } from './suggest.ts';
import type { Message } from './types.ts';

/** Edits a message in place: Enter saves, Escape cancels. */
export function editor(main: HTMLElement, message: Message): void {
  const body = main.querySelector('.message-body');
  if (!body) return;
  const area = h('textarea', {
    rows: '2',
    id: `edit-${message.ts}`,
    'aria-label': 'Edit the message',
    value: plain(message.text),
  });
  const close = () => {
    form.replaceWith(body);
    main.closest<HTMLElement>('.message')?.focus();
    // Draws the changes that arrived meanwhile.
    store.changed();
  };
  const form = h('form.editor', {
    onsubmit: async (event) => {
      event.preventDefault();
      const done = await attempt(
        api.edit({ channel: message.channel, user: store.me, ts: message.ts, text: area.value }),
      );
      if (done && form.isConnected) close();
    },
  });
  append(form, [
    area,
    h(
      'div.editor-foot',
      h('button.plain', { onclick: close }, 'Cancel'),
      h('button.primary', { type: 'submit' }, 'Save'),
    ),
  ]);
  suggest(area, form);
  area.addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  body.replaceWith(form);
  area.focus();
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
