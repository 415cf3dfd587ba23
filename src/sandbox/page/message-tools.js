import { api } from './api.js';
import { editor } from './composer.js';
import { append, h } from './dom.js';
import { emojiOf, PICKER } from './emoji.js';
import { icon } from './icons.js';
import { notify } from './notice.js';
import { store } from './store.js';

/** What one can do with a message; shown on hover and when the keyboard comes by. */
export function tools(message, main, inThread) {
  const mine = message.user === store.me;
  const root = message.thread_ts ?? message.ts;
  const more = store.shortcuts.filter(({ on }) => on === 'message');
  const bar = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'What to do with this message' });
  const picker = h(
    'span',
    { class: 'picker' },
    PICKER.slice(1).map((name) =>
      tool(emojiOf(name), `React with ${name}`, () => react(message, name, true)),
    ),
  );
  picker.hidden = true;
  append(bar, [
    tool(emojiOf(PICKER[0]), 'React with ticket', () => react(message, PICKER[0], true)),
    tool(icon('smile'), 'More reactions', () => (picker.hidden = !picker.hidden)),
    picker,
    !inThread && tool(icon('thread'), 'Reply in a thread', () => store.openThread(root)),
    mine && tool(icon('edit'), 'Edit', () => editor(main, message)),
    mine && tool(icon('remove'), 'Delete', (event) => removeOnSecondPress(event.currentTarget, message)),
    more.length > 0 && shortcutMenu(message, more),
  ]);
  return bar;
}

function tool(sign, label, onclick) {
  return h(
    'button',
    { type: 'button', title: label, 'aria-label': label, data: { key: label }, onclick },
    sign,
  );
}

function removeOnSecondPress(button, message) {
  if (button.dataset.sure)
    return attempt(api.remove({ channel: message.channel, user: store.me, ts: message.ts }));
  button.dataset.sure = 'yes';
  button.textContent = 'Delete?';
  button.addEventListener(
    'blur',
    () => {
      delete button.dataset.sure;
      button.replaceChildren(icon('remove'));
    },
    { once: true },
  );
  return undefined;
}

function shortcutMenu(message, shortcuts) {
  return h(
    'select',
    {
      'aria-label': 'App shortcuts for this message',
      title: 'App shortcuts',
      data: { key: 'shortcuts' },
      onchange: async (event) => {
        const callbackId = event.target.value;
        event.target.value = '';
        if (!callbackId) return;
        const answer = await attempt(
          api.shortcut({ user: store.me, callbackId, channel: message.channel, messageTs: message.ts }),
        );
        if (answer?.outcome?.error) notify('The app did not answer the shortcut.');
      },
    },
    h('option', { value: '' }, '⋯'),
    shortcuts.map(({ callbackId, name }) => h('option', { value: callbackId }, name)),
  );
}

/** Puts one's emoji on a message, or takes it away again. */
export function react(message, name, present) {
  const already = message.reactions.some(
    (reaction) => reaction.name === name && reaction.users.includes(store.me),
  );
  return attempt(
    api.react({
      channel: message.channel,
      user: store.me,
      ts: message.ts,
      name,
      present: already ? false : present,
    }),
  );
}

async function attempt(work) {
  try {
    return await work;
  } catch (error) {
    notify(error.message);
    return undefined;
  }
}
