import { api } from '../api.js';
import { attempt } from '../attempt.js';
import { append, h } from '../dom.js';
import { icon } from '../icons.js';
import { store } from '../store.js';
import { inspector } from './state.js';

let drawn = '';

/** Shows on every screen what is unusual: faults, chaos, a moved clock, a lost connection. */
export function drawBar(bar) {
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
        'All off',
      ),
    ],
  ]);
}
