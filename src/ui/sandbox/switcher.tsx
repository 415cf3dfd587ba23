import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { type Choice, Combobox, narrow } from './parts/combobox.tsx';
import { Dialog, dialogs } from './parts/dialog.tsx';
import { store } from './store.ts';
import { views } from './views.ts';

/** Ctrl+K: goes to a channel or direct message by letters of its name. */
export function openSwitcher(): void {
  if (dialogs.opened.length > 0 || views.stack.length > 0) return;
  const back = document.activeElement;
  dialogs.open((close) => (
    <Switcher
      onClose={() => {
        close();
        if (back instanceof HTMLElement) requestAnimationFrame(() => back.focus());
      }}
    />
  ));
}

function Switcher({ onClose }: { onClose: () => void }) {
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
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div className="switcher">
        <Combobox
          label="Go to"
          placeholder="Channel or person"
          opensOnFocus
          load={(typed) => narrow([{ options }], typed)}
          onChange={async ([choice]) => {
            if (!choice) return;
            onClose();
            await go(choice.value);
            requestAnimationFrame(() => document.getElementById('composer-channel')?.focus());
          }}
        />
      </div>
    </Dialog>
  );
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
