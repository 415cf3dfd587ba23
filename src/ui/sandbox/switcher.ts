import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { h, present } from './dom.ts';
import { type Choice, combobox, narrow } from './parts/combobox.ts';
import { openDialog, type OpenedDialog } from './parts/dialog.ts';
import { store } from './store.ts';

let opened: OpenedDialog | undefined;

/** Ctrl+K: goes to a channel or direct message by letters of its name. */
export function openSwitcher(): void {
  if (opened?.dialog.isConnected || document.querySelector('dialog[open]')) return;
  const options: Choice[] = [
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
      opened?.close();
      await go(choice.value);
      document.getElementById('composer-channel')?.focus();
    },
  });
  opened = openDialog({ title: 'Go to', className: 'small', body: h('div.switcher', box) });
  present(box.querySelector('input')).click();
}

async function go(value: string): Promise<void> {
  if (!value.startsWith('@')) {
    await attempt(store.open(value));
    return;
  }
  const answer = await attempt(api.open({ user: store.me, with: value }));
  if (!answer) return;
  await store.refresh();
  await attempt(store.open(answer.channel));
}
