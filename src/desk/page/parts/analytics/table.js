import { WHAT } from '../../analytics/question.js';
import { inWords } from '../../analytics/units.js';
import { html } from '../../lit.js';

/** The values of the chart as a table, for reading, copying and screen readers. */
export function table({ unit, series, rows }, { what }, first) {
  return html`<div class="wide figures" tabindex="0" role="region" aria-label="The figures">
    <table>
      <caption>
        ${WHAT[what].label}
      </caption>
      <thead>
        <tr>
          <th scope="col">${first}</th>
          ${series.map((name) => html`<th scope="col" class="figure">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, values }) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${values.map((value) => html`<td class="figure">${inWords(unit, value)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
