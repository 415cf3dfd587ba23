import { api } from './api.js';
import { attempt } from './attempt.js';
import { append, h } from './dom.js';
import { store } from './store.js';
import { suggest } from './suggest.js';

/** Edits a message in place: Enter saves, Escape cancels. */
export function editor(main, message) {
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
    main.closest('.message')?.focus();
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
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  body.replaceWith(form);
  area.focus();
}

/** A message's text as it was typed: mentions by name, nothing escaped. */
function plain(text) {
  return text
    .replace(/<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/g, (whole, id) =>
      store.person(id) ? `@${store.person(id).name}` : whole,
    )
    .replace(
      /<#(C[A-Z0-9]+)(?:\|([^>]*))?>/g,
      (whole, id, name) => `#${store.channel(id)?.name ?? name ?? whole}`,
    )
    .replace(/<((?:https?:|mailto:)[^|>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
