import { api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { append, h } from '../dom.ts';
import { icon } from '../icons.ts';
import { store } from '../store.ts';
import { inspector } from './state.ts';

let drawn = '';

/** Shows on every screen what is unusual: faults, chaos, a moved clock, a lost connection. */
export function drawBar(bar: HTMLElement): void {
  const words = inspector.unusual();
  const lost = store.me !== '' && !store.connected;
  const state = JSON.stringify([words, lost]);
  if (state === drawn) return;
  drawn = state;
  bar.hidden = words.length === 0 && !lost;
  bar.replaceChildren();
  append(bar, [
    icon('warn'),
    h(
      'span.bar-words',
      [lost ? 'The sandbox cannot be reached; trying again' : undefined, ...words]
        .filter(Boolean)
        .join(' · '),
    ),
    words.length > 0 && [
      h('button', { onclick: () => inspector.show('faults') }, 'Look'),
      h(
        'button',
        {
          onclick: () =>
            attempt(
              inspector.asked(
                api
                  .clearFaults()
                  .then(() =>
                    inspector.clock.speed !== 1 || Math.abs(inspector.clock.ahead) > 1.5
                      ? api.setClock({ reset: true })
                      : undefined,
                  ),
              ),
            ),
        },
        'Turn all off',
      ),
    ],
  ]);
}
