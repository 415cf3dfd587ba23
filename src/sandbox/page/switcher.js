import { api } from './api.js';
import { attempt } from './attempt.js';
import { h } from './dom.js';
import { combobox, narrow } from './parts/combobox.js';
import { openDialog } from './parts/dialog.js';
import { store } from './store.js';

let opened;

/** Ctrl+K: goes to a channel or direct message by letters of its name. */
export function openSwitcher() {
  if (opened?.dialog.isConnected || document.querySelector('dialog[open]')) return;
  const options = [
    ...store.visible().map((channel) => ({ value: channel.id, label: store.titleOf(channel) })),
    ...store.people
      .filter(({ id }) => id !== store.me)
      .map(({ name, real_name, is_bot }) => ({
        value: `@${name}`,
        label: real_name || name,
        hint: is_bot ? 'app' : `@${name}`,
      })),
  ];
  const box = combobox({
    label: 'Go to',
    placeholder: 'Channel or person',
    load: (typed) => narrow([{ options }], typed),
    onchange: async ([choice]) => {
      if (!choice) return;
      opened.close();
      await go(choice.value);
      document.getElementById('composer-channel')?.focus();
    },
  });
  opened = openDialog({ title: 'Go to', className: 'small', body: h('div.switcher', box) });
  box.querySelector('input').click();
}

async function go(value) {
  if (!value.startsWith('@')) return attempt(store.open(value));
  const answer = await attempt(api.open({ user: store.me, with: value }));
  if (!answer) return undefined;
  await store.refresh();
  return attempt(store.open(answer.channel));
}
