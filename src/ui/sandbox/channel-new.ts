import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { h } from './dom.ts';
import { openDialog } from './parts/dialog.ts';
import { field } from './parts/field.ts';
import { store } from './store.ts';

/** Creates a channel with the acting person as a member. */
export function newChannel(): void {
  const name = h('input.block-input', {
    autocomplete: 'off',
    placeholder: 'facilities-help',
    maxlength: 80,
    oninput: () => {
      name.value = name.value.toLowerCase().replace(/[^a-z0-9_-]/g, '-');
    },
  });
  const secret = h('input', { type: 'checkbox' });
  const form = h(
    'form.stack',
    {
      onsubmit: async (event) => {
        event.preventDefault();
        const answer = await attempt(
          api.createChannel({ name: name.value, private: secret.checked, user: store.me }),
        );
        if (!answer) return;
        opened.close();
        await store.refresh();
        await store.open(answer.channel);
      },
    },
    field({ label: 'Name', control: name, hint: 'Lower case, without spaces' }),
    h(
      'label.choice',
      secret,
      h('span', 'Private', h('small', 'Only people and apps that are invited can see it')),
    ),
    h('div.dialog-foot', h('button.primary', { type: 'submit' }, 'Create')),
  );
  const opened = openDialog({ title: 'Create a channel', className: 'small', body: form });
}
