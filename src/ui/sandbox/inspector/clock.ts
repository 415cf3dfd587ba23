import { api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { append, h } from '../dom.ts';
import { field } from '../parts/field.ts';
import { inspector } from './state.ts';

const TICK_MS = 500;
let face: HTMLElement | undefined;
let ticking: number | undefined;
const note = h('p.dim', { role: 'status' });
const speeds = h(
  'div.quick',
  { role: 'group', 'aria-label': 'Speed' },
  (
    [
      [0, 'Hold'],
      [1, '1×'],
      [10, '10×'],
      [60, '60×'],
      [600, '600×'],
    ] as const
  ).map(([speed, label]) =>
    h('button.plain', { data: { speed: String(speed) }, onclick: () => set({ speed }) }, label),
  ),
);

/** The sandbox's clock: it can be moved on, held, or made to run faster; timers follow it. */
export function drawClock(slot: HTMLElement): void {
  if (!face || !slot.contains(face)) {
    const shown = h('p.clock-face');
    face = shown;
    slot.replaceChildren();
    append(slot, [
      h('section.panel-part', shown, note),
      h('section.panel-part', h('h3', 'Move it forward'), steps(), own()),
      h('section.panel-part', h('h3', 'Let it run'), speeds),
    ]);
    clearInterval(ticking);
    ticking = window.setInterval(() => (shown.isConnected ? tick(shown) : clearInterval(ticking)), TICK_MS);
  }
  tick(face);
  const words = inspector.unusual().filter((word) => word.startsWith('the clock'));
  note.textContent = words.length > 0 ? words.join(', ') : "As this machine's clock";
  for (const button of speeds.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(Number(button.dataset['speed']) === inspector.clock.speed));
}

function tick(face: HTMLElement): void {
  face.textContent = inspector.now().toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

function set(change: Parameters<typeof api.setClock>[0]): Promise<void> {
  return attempt(inspector.asked(api.setClock(change)));
}

function steps(): HTMLElement {
  return h(
    'div.quick',
    ['1m', '5m', '30m', '1h', '1d'].map((advance) =>
      h('button.plain', { onclick: () => set({ advance }) }, `+ ${advance}`),
    ),
    h('button.plain', { onclick: () => set({ reset: true }) }, 'Reset to now'),
  );
}

function own(): HTMLElement {
  const advance = h('input.block-input', { placeholder: '90s, 5m, 1.5h, 2d', autocomplete: 'off' });
  return h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        if (advance.value.trim()) void set({ advance: advance.value.trim() });
      },
    },
    h(
      'div.form-row',
      field({ label: 'By', control: advance }),
      h('button.plain.beside', { type: 'submit' }, 'Move'),
    ),
  );
}
