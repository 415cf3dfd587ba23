import { api } from '../api.js';
import { attempt } from '../attempt.js';
import { append, h } from '../dom.js';
import { field } from '../parts/field.js';
import { inspector } from './state.js';

const TICK_MS = 500;
let face;
let note;
let speeds;
let ticking;

/** The sandbox's clock: it can be moved on, held, or made to run faster; timers follow it. */
export function drawClock(slot) {
  if (!slot.contains(face)) {
    face = h('p.clock-face');
    note = h('p.dim', { role: 'status' });
    speeds = h('div.quick', { role: 'group', 'aria-label': 'Speed' });
    slot.replaceChildren();
    append(slot, [
      h('section.panel-part', face, note),
      h('section.panel-part', h('h3', 'Move it on'), steps(), own()),
      h('section.panel-part', h('h3', 'Let it run'), speeds),
    ]);
    clearInterval(ticking);
    ticking = setInterval(() => (face.isConnected ? tick() : clearInterval(ticking)), TICK_MS);
  }
  tick();
  const words = inspector.unusual().filter((word) => word.startsWith('the clock'));
  note.textContent = words.length > 0 ? words.join(', ') : "As this machine's clock";
  append(
    speeds,
    speeds.childElementCount > 0
      ? []
      : [
          [0, 'Hold'],
          [1, '1×'],
          [10, '10×'],
          [60, '60×'],
          [600, '600×'],
        ].map(([speed, label]) =>
          h('button.plain', { data: { speed: String(speed) }, onclick: () => set({ speed }) }, label),
        ),
  );
  for (const button of speeds.children)
    button.setAttribute('aria-pressed', String(Number(button.dataset.speed) === inspector.clock.speed));
}

function tick() {
  face.textContent = inspector.now().toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

const set = (change) => attempt(inspector.asked(api.setClock(change)));

function steps() {
  return h(
    'div.quick',
    ['1m', '5m', '30m', '1h', '1d'].map((advance) =>
      h('button.plain', { onclick: () => set({ advance }) }, `+ ${advance}`),
    ),
    h('button.plain', { onclick: () => set({ reset: true }) }, 'Back to now'),
  );
}

function own() {
  const advance = h('input.block-input', { placeholder: '90s, 5m, 1.5h, 2d', autocomplete: 'off' });
  return h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (advance.value.trim()) set({ advance: advance.value.trim() });
      },
    },
    h(
      'div.form-row',
      field({ label: 'By', control: advance }),
      h('button.plain.beside', { type: 'submit' }, 'Move'),
    ),
  );
}
