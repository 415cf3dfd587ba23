import { api } from './api.js';
import { attempt } from './attempt.js';
import { h } from './dom.js';
import { store } from './store.js';
import { views } from './views.js';

const drawn = new WeakMap();

/** Above where one writes: what the app offers to press, and what it is doing; in a thread, what belongs to that. */
export function drawPane(slot, channel, app, thread) {
  const { offer, statuses } = views.pane;
  const shown = app && offer && offer.thread === thread ? offer : undefined;
  const doing = app ? statuses.filter((one) => thread === undefined || one.thread === thread) : [];
  const state = JSON.stringify([channel?.id, store.me, thread, shown, doing]);
  if (drawn.get(slot) === state) return;
  drawn.set(slot, state);
  slot.replaceChildren(
    ...(shown ? [prompts(shown, channel, thread)] : []),
    ...doing.map(({ status }) => h('p', { class: 'pane-status', role: 'status' }, `${app.name} ${status}`)),
  );
}

function prompts({ title, prompts }, channel, thread) {
  const say = (text) => {
    const place = thread === undefined ? {} : { thread_ts: thread };
    attempt(api.send({ channel: channel.id, user: store.me, text, ...place }));
  };
  return h(
    'div',
    { class: 'pane-prompts', role: 'group', 'aria-label': title ?? 'Suggested prompts' },
    title && h('p', {}, title),
    ...prompts.map((prompt) =>
      h(
        'button',
        { type: 'button', class: 'try', title: prompt.message, onclick: () => say(prompt.message) },
        prompt.title,
      ),
    ),
  );
}
