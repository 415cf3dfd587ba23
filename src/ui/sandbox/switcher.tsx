import { Combobox } from '../kit/combobox.tsx';
import { holdKeys } from '../kit/held-keys.ts';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { focusComposer } from './composer.tsx';
import { channelOption, personOption } from './options.ts';
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
  const options = [
    ...store.visible().map(channelOption),
    ...store.people.filter(({ id }) => id !== store.me).map(personOption),
  ];
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Combobox
        label="Go to"
        placeholder="Channel or person"
        options={options}
        selected={[]}
        isWide
        autoFocus
        says="Nothing matches"
        onChange={async ([choice]) => {
          if (!choice) return;
          // What is typed from now on is for the composer of that place.
          const giveKeys = holdKeys();
          onClose();
          try {
            await go(choice.id);
          } finally {
            requestAnimationFrame(() => {
              focusComposer();
              giveKeys();
            });
          }
        }}
      />
    </Dialog>
  );
}

/**
 * Resolves when the place is shown; its messages may still be loading.
 * @param id of a channel, or of a person to write to.
 */
async function go(id: string): Promise<void> {
  const person = store.person(id);
  if (!person) {
    void attempt(store.open(id));
    return;
  }
  const answer = await attempt(api.open({ user: store.me, with: `@${person.name}` }));
  if (!answer) return;
  await store.refresh();
  void attempt(store.open(answer.channel));
}
