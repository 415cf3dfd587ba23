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

/** The sandbox's time: moved on, held, or made to run faster; what waits by it follows. */
export function drawClock(slot) {
  if (!slot.contains(face)) {
    face = h('p', { class: 'clock-face' });
    note = h('p', { class: 'dim', role: 'status' });
    speeds = h('div', { class: 'quick', role: 'group', 'aria-label': 'Speed' });
    slot.replaceChildren();
    append(slot, [
      h('section', { class: 'panel-part' }, face, note),
      h('section', { class: 'panel-part' }, h('h3', {}, 'Move it on'), steps(), own()),
      h('section', { class: 'panel-part' }, h('h3', {}, 'Let it run'), speeds),
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
          h(
            'button',
            { type: 'button', class: 'plain', data: { speed: String(speed) }, onclick: () => set({ speed }) },
            label,
          ),
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
    'div',
    { class: 'quick' },
    ['1m', '5m', '30m', '1h', '1d'].map((advance) =>
      h('button', { type: 'button', class: 'plain', onclick: () => set({ advance }) }, `+ ${advance}`),
    ),
    h('button', { type: 'button', class: 'plain', onclick: () => set({ reset: true }) }, 'Back to now'),
  );
}

function own() {
  const advance = h('input', { class: 'block-input', placeholder: '90s, 5m, 1.5h, 2d', autocomplete: 'off' });
  return h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (advance.value.trim()) set({ advance: advance.value.trim() });
      },
    },
    h(
      'div',
      { class: 'form-row' },
      field({ label: 'By', control: advance }),
      h('button', { type: 'submit', class: 'plain beside' }, 'Move'),
    ),
  );
}
