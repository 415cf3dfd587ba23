import { svg } from '../../lit.js';
import { inWords, ticksOf } from '../../analytics/units.js';

/** The maximum width of a character in the charts' text, in pixels. */
export const CHARACTER = 7;
const HEIGHT = 280;
const TOP = 10;
const BOTTOM = 28;
const RIGHT = 14;

/** The frame of a time chart, `width` pixels wide: the positions of values and rows, and the grid lines. */
export function frame({ unit, rows }, width) {
  const highest = Math.max(0, ...rows.flatMap(({ values }) => values.filter((value) => value !== null)));
  const ticks = ticksOf(unit, highest);
  const words = ticks.map((tick) => inWords(unit, tick));
  const left = Math.max(...words.map(({ length }) => length)) * CHARACTER + 10;
  const across = (width - left - RIGHT) / rows.length;
  const y = (value) => HEIGHT - BOTTOM - (value / ticks.at(-1)) * (HEIGHT - BOTTOM - TOP);
  const x = (row) => left + (row + 0.5) * across;
  // As many labels as fit next to each other.
  const longest = Math.max(...rows.map(({ short }) => short.length)) * CHARACTER + 14;
  const every = Math.max(1, Math.ceil(longest / across));
  const grid = svg`
    ${ticks.map(
      (tick, place) => svg`
        <line class="grid" x1=${left} x2=${width - RIGHT} y1=${y(tick)} y2=${y(tick)} />
        <text x=${left - 8} y=${y(tick) + 4} text-anchor="end">${words[place]}</text>`,
    )}
    ${rows.map(({ short }, row) =>
      row % every === 0 ? svg`<text x=${x(row)} y=${HEIGHT - 8} text-anchor="middle">${short}</text>` : '',
    )}`;
  return { height: HEIGHT, x, y, across, grid };
}
