import { api } from './api.js';
import { attempt } from './attempt.js';
import { h } from './dom.js';
import { openDialog } from './parts/dialog.js';
import { field } from './parts/field.js';
import { store } from './store.js';

/** Creates a channel with the acting person as a member. */
export function newChannel() {
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
    h('label.choice', secret, h('span', 'Private', h('small', 'Only who is invited sees it; an app too'))),
    h('div.dialog-foot', h('button.primary', { type: 'submit' }, 'Create')),
  );
  const opened = openDialog({ title: 'Create a channel', className: 'small', body: form });
}
