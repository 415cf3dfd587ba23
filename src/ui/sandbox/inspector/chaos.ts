import { api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { append, type Child, h } from '../dom.ts';
import { field } from '../parts/field.ts';
import type { ChaosState } from '../types.ts';
import { inspector } from './state.ts';

/** Random faults at a low rate, the same for the same seed. */
export function drawChaos(slot: HTMLElement): void {
  const { chaos } = inspector.faults;
  slot.replaceChildren();
  append(slot, [h('h3', 'Chaos'), chaos ? running(chaos) : begin()]);
}

function running({ seed, intensity, drops, did }: ChaosState): Child {
  const counts = Object.entries(did);
  return [
    h(
      'p',
      `On at ${Math.round(intensity * 100)}%, seed `,
      h('code', seed),
      drops ? ', with dropped events.' : '.',
    ),
    counts.length > 0 &&
      h(
        'dl.facts',
        counts.map(([kind, count]) => [h('dt', kind.replaceAll('_', ' ')), h('dd', `${count}×`)]),
      ),
    h(
      'button.plain.danger',
      { onclick: () => attempt(inspector.asked(api.clearFaults())) },
      'Stop the chaos',
    ),
  ];
}

function begin(): HTMLElement {
  const intensity = h('input', { type: 'range', min: 0, max: 100, step: 5, value: 30 });
  const seed = h('input.block-input', { inputmode: 'numeric', autocomplete: 'off' });
  const drops = h('input', { type: 'checkbox' });
  return h(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        void attempt(
          inspector.asked(
            api.chaos({
              intensity: Number(intensity.value) / 100,
              drops: drops.checked,
              ...(seed.value === '' ? {} : { seed: Number(seed.value) }),
            }),
          ),
        );
      },
    },
    h(
      'div.form-row',
      field({ label: 'How much', control: intensity }),
      field({ label: 'Seed', control: seed, optional: true }),
    ),
    h('label.choice', drops, h('span', 'Drop events too')),
    h('button.primary', { type: 'submit' }, 'Begin'),
  );
}
