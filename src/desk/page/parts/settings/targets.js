import { minutesOf, spanOf } from '../../duration.js';
import { html } from '../../lit.js';
import { state } from '../../state.js';
import { PRIORITIES } from '../../words.js';
import { refusal } from '../bits.js';

const KINDS = [
  ['responseMinutes', 'First answer within'],
  ['resolutionMinutes', 'Done within'],
];
const PLACE = 'queue-targets';

/** Targets for the first reply and the resolution by priority; `save(place, targets)` writes them all. */
export function targets(present, save) {
  const submit = (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    const given = Object.keys(PRIORITIES).map((priority) => [
      priority,
      Object.fromEntries(KINDS.map(([kind]) => [kind, minutesOf(fields[`${priority} ${kind}`].value)])),
    ]);
    save(
      PLACE,
      Object.fromEntries(
        given.filter(([, { responseMinutes, resolutionMinutes }]) => responseMinutes || resolutionMinutes),
      ),
    );
  };
  const check = ({ target }) => {
    const isWrong = minutesOf(target.value) === undefined;
    target.setCustomValidity(isWrong ? 'Enter a time such as 15 min, 4 h or 2 d, of a year at most.' : '');
  };
  return html`<form @submit=${submit}>
    <p class="dim" id="about-targets">
      The team is reminded at 80 % of a target and when it is missed. Targets count from the opening, around
      the clock: 15 min, 4 h, 2 d. Leave empty for no reminder.
    </p>
    <div class="wide" tabindex="0" role="region" aria-label="Response targets">
      <table class="targets">
        <thead>
          <tr>
            <th scope="col">Priority</th>
            ${KINDS.map(([, words]) => html`<th scope="col">${words}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${Object.entries(PRIORITIES).map(
            ([priority, name]) =>
              html`<tr>
                <th scope="row">${name}</th>
                ${KINDS.map(
                  ([kind, words]) =>
                    html`<td>
                      <input
                        name=${`${priority} ${kind}`}
                        aria-label=${`${name}: ${words.toLowerCase()}`}
                        autocomplete="off"
                        size="8"
                        .value=${spanOf(present?.[priority]?.[kind])}
                        @input=${check}
                      />
                    </td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${refusal(PLACE)}
    <button class="plain" ?disabled=${state.busy.has(PLACE)}>Save times</button>
  </form>`;
}
