import { sentenceOf } from '../../analytics/figures.js';
import { inWords } from '../../analytics/units.js';
import { html, nothing, svg } from '../../lit.js';
import { CHARACTER, frame } from './axis.js';

const DRAWN = { bars, columns, lines };

/**
 * A chart of these figures at the width of its container; its accessible name says what it shows. Colours are
 * in analytics.css.
 */
export function chart(figures, width) {
  const { height, content } = DRAWN[figures.kind](figures, width);
  return html`
    <svg
      class="chart"
      role="img"
      aria-label=${sentenceOf(figures)}
      viewBox=${`0 0 ${width} ${height}`}
      width=${width}
      height=${height}
    >
      ${content}
    </svg>
    ${figures.series.length > 1 ? legend(figures.series) : nothing}
  `;
}

/** The tooltip of a figure. */
const hint = (unit, name, value, series) =>
  svg`<title>${`${name}${series ? `, ${series}` : ''}: ${inWords(unit, value)}`}</title>`;

function columns(figures, width) {
  const { height, x, y, across, grid } = frame(figures, width);
  const wide = Math.max(1, Math.min(48, across * 0.7));
  const content = svg`${grid}${figures.rows.map(({ name, values: [value] }, row) =>
    value === null
      ? ''
      : svg`<rect data-series="0" x=${x(row) - wide / 2} y=${y(value)} width=${wide} height=${y(0) - y(value)}>
          ${hint(figures.unit, name, value)}
        </rect>`,
  )}`;
  return { height, content };
}

/** A line per series, with gaps for missing values; a single point needs a dot to be visible. */
function lines(figures, width) {
  const { height, x, y, across, grid } = frame(figures, width);
  const { unit, rows, series } = figures;
  const dots = across >= 8;
  const line = (_, place) => {
    const at = (row) => rows[row]?.values[place] ?? null;
    const path = rows
      .map((_row, row) =>
        at(row) === null ? '' : `${row > 0 && at(row - 1) !== null ? 'L' : 'M'}${x(row)} ${y(at(row))}`,
      )
      .join('');
    const dot = ({ name }, row) => {
      const isAlone = at(row - 1) === null && at(row + 1) === null;
      if (at(row) === null || !(dots || isAlone)) return '';
      return svg`<circle data-series=${place} cx=${x(row)} cy=${y(at(row))} r="3">
        ${hint(unit, name, at(row), series.length > 1 && series[place])}
      </circle>`;
    };
    return svg`<path data-series=${place} d=${path} />${rows.map(dot)}`;
  };
  return { height, content: svg`${grid}${series.map(line)}` };
}

const ROW = 30;

/**
 * Bars with their labels on the left and their values on the right; the chart cuts long labels, the table
 * does not.
 */
function bars({ unit, rows }, width) {
  const longest = Math.max(...rows.map(({ name }) => name.length)) * CHARACTER + 8;
  const names = Math.min(longest, width * 0.38);
  const figures = Math.max(...rows.map(({ values: [value] }) => inWords(unit, value).length)) * CHARACTER + 8;
  const highest = Math.max(...rows.map(({ values: [value] }) => value ?? 0));
  const room = Math.max(0, width - names - figures);
  const most = Math.max(4, Math.floor(names / CHARACTER) - 1);
  const bar = ({ name, values: [value] }, row) => {
    const long = highest > 0 ? ((value ?? 0) / highest) * room : 0;
    const middle = row * ROW + ROW / 2;
    return svg`<g>
      ${hint(unit, name, value)}
      <text class="name" x=${names - 8} y=${middle + 4} text-anchor="end">${name.length > most ? `${name.slice(0, most - 1)}…` : name}</text>
      <rect data-series="0" x=${names} y=${middle - 9} width=${long} height="18" />
      <text class="name" x=${names + long + 6} y=${middle + 4}>${inWords(unit, value)}</text>
    </g>`;
  };
  return { height: rows.length * ROW + 4, content: svg`${rows.map(bar)}` };
}

/** The legend: colour and dashes of each line. */
function legend(series) {
  return html`<ul class="legend" aria-hidden="true">
    ${series.map(
      (name, place) =>
        html`<li>
          <svg class="chart" width="28" height="10">${svg`<path data-series=${place} d="M0 5H28" />`}</svg>
          ${name}
        </li>`,
    )}
  </ul>`;
}
