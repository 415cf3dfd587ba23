import { KEYS, single } from '../keyboard.js';
import { html } from '../lit.js';
import { change } from '../state.js';
import { modal } from './bits.js';

export function helpDialog() {
  return modal(
    'Keys',
    () => change({ help: false }),
    html`
      <dl class="keys">
        ${KEYS.map(
          ([key, does]) =>
            html`<div>
              <dt><kbd>${key}</kbd></dt>
              <dd>${does}</dd>
            </div>`,
        )}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          .checked=${single.on}
          @change=${(event) => {
            single.on = event.target.checked;
          }}
        />
        Single keys do this in this browser
      </label>
    `,
  );
}
