import { api } from './api.js';
import { append, h } from './dom.js';
import { notify } from './notice.js';
import { store } from './store.js';
import { suggest } from './suggest.js';

/** Where one writes: Enter sends, Shift+Enter is a new line, `/…` is a command, `@` and `/` suggest. */
export function composer({ id, label, placeholder, channel, threadTs }) {
  const area = h('textarea', {
    id,
    rows: '1',
    placeholder,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'true',
  });
  const send = h('button', { type: 'submit', class: 'primary', 'aria-label': 'Send' }, 'Send');
  const broadcast =
    threadTs &&
    h('label', { class: 'broadcast' }, h('input', { type: 'checkbox' }), 'Also send to the channel');
  const form = h(
    'form',
    { class: 'composer', onsubmit: (event) => submit(event) },
    h('div', { class: 'composer-box' }, area, send),
    broadcast,
  );
  const grow = () => {
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, 220)}px`;
  };
  area.addEventListener('input', grow);
  suggest(area, form);
  area.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });

  async function submit(event) {
    event.preventDefault();
    const text = area.value.trim();
    if (text === '') return;
    area.value = '';
    grow();
    try {
      await say(text, { channel, threadTs, broadcast: broadcast && broadcast.firstChild.checked });
      if (broadcast) broadcast.firstChild.checked = false;
    } catch (error) {
      // What was typed must not be lost with the refusal.
      if (area.value === '') area.value = text;
      notify(error.message);
    }
  }
  return form;
}

async function say(text, { channel, threadTs, broadcast }) {
  const command = /^(\/[a-z0-9_-]+)(?:\s+([\s\S]*))?$/i.exec(text);
  if (!command)
    return api.send({
      channel,
      user: store.me,
      text,
      ...(threadTs ? { thread_ts: threadTs, ...(broadcast ? { broadcast: true } : {}) } : {}),
    });
  if (threadTs)
    throw new Error('Slash commands cannot be typed in threads, as in Slack: type it in the channel.');
  return api.command({ channel, user: store.me, command: command[1], text: command[2] ?? '' });
}

/** Puts a text into the channel's composer, ready to be sent. */
export function prefill(text) {
  const area = document.getElementById('composer-channel');
  if (!area) return;
  area.value = text;
  area.focus();
  area.dispatchEvent(new Event('input'));
}

/** Edits a message in its place: Enter saves, Escape leaves it as it is. */
export function editor(main, message) {
  const body = main.querySelector('.message-body');
  const area = h('textarea', { rows: '2', 'aria-label': 'Edit the message', value: plain(message.text) });
  const close = () => form.replaceWith(body);
  const form = h('form', {
    class: 'editor',
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await api.edit({ channel: message.channel, user: store.me, ts: message.ts, text: area.value });
        close();
      } catch (error) {
        notify(error.message);
      }
    },
  });
  append(form, [
    area,
    h(
      'div',
      {},
      h('button', { type: 'submit', class: 'primary' }, 'Save'),
      h('button', { type: 'button', onclick: close }, 'Cancel'),
    ),
  ]);
  area.addEventListener('keydown', (event) => {
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
