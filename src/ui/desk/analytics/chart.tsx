import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { shorten } from '../../../contract/cut.ts';
import styles from './analytics.module.css';
import { type Figures, highestOf, isEmpty } from './figures.ts';
import { inWords, ticksOf } from './units.ts';

/** The maximum width of a character in the charts' text, in pixels. */
const CHARACTER = 7;
/** What a percent sign is wider. */
const WIDE_SIGN = 8;
/** Between the labels and the lines. */
const BESIDE = 8;
const NARROWEST = 260;
const TOP = 10;
const BOTTOM = 28;
const RIGHT = 14;
const ROW = 30;

/**
 * A chart at the width of its place, so that its text is as large on a phone as elsewhere; its name says what it shows.
 */
export function Chart({ figures, height = 280 }: { figures: Figures; height?: number }) {
  const t = useTranslations('analytics');
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(NARROWEST, Math.floor(entry.contentRect.width)));
    });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { kind, unit, series } = figures;
  const highest = highestOf(figures);
  const label = highest
    ? t('chartOf', {
        kind,
        series: series.join(', '),
        value: inWords(unit, highest.value),
        name: highest.name,
      })
    : t('chartOfNothing');
  const tall = kind === 'bars' ? figures.rows.length * ROW + 4 : height;
  if (isEmpty(figures))
    return (
      <div ref={place} className={styles['empty']}>
        <p>{t('empty')}</p>
        <p>{t('emptyMore')}</p>
      </div>
    );
  return (
    <div ref={place}>
      {width > 0 && (
        <svg
          className={styles['chart']}
          role="img"
          aria-label={label}
          viewBox={`0 0 ${width} ${tall}`}
          width={width}
          height={tall}
        >
          {kind === 'bars' ? (
            <Bars figures={figures} width={width} />
          ) : (
            <OverTime figures={figures} width={width} height={height} />
          )}
        </svg>
      )}
      {series.length > 1 && (
        <ul className={styles['legend']} aria-hidden>
          {series.map((name, at) => (
            <li key={name}>
              <svg className={styles['chart']} width="28" height="10">
                {kind === 'lines' ? (
                  <path data-series={at} d="M0 5H28" />
                ) : (
                  <rect data-series={at} x="9" width="10" height="10" rx="2" />
                )}
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function OverTime({ figures, width, height }: { figures: Figures; width: number; height: number }) {
  const { kind, unit, rows, series } = figures;
  const highest = Math.max(0, ...rows.flatMap(({ values }) => values.filter((value) => value !== null)));
  const ticks = ticksOf(unit, highest);
  const words = ticks.map((tick) => inWords(unit, tick));
  const left = Math.max(...words.map(({ length }) => length)) * CHARACTER + BESIDE + WIDE_SIGN;
  const across = (width - left - RIGHT) / rows.length;
  const y = (value: number) => height - BOTTOM - (value / (ticks.at(-1) ?? 1)) * (height - BOTTOM - TOP);
  const x = (row: number) => left + (row + 0.5) * across;
  // As many labels as fit next to each other.
  const longest = Math.max(...rows.map(({ short }) => short.length)) * CHARACTER + 14;
  const every = Math.max(1, Math.ceil(longest / across));
  const wide = Math.max(1, Math.min(48, (across * 0.7) / series.length));
  const hint = (row: number, at: number) => {
    const named = rows[row];
    return `${named?.name}${series.length > 1 ? `, ${series[at]}` : ''}: ${inWords(unit, named?.values[at] ?? null)}`;
  };
  const valueAt = (row: number, at: number) => rows[row]?.values[at] ?? null;
  return (
    <>
      {ticks.map((tick, at) => (
        <g key={tick}>
          <line className={styles['grid']} x1={left} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text x={left - BESIDE} y={y(tick) + 4} textAnchor="end">
            {words[at]}
          </text>
        </g>
      ))}
      {rows.map(({ short, name }, row) =>
        row % every === 0 ? (
          <text key={name} x={x(row)} y={height - 8} textAnchor="middle">
            {short}
          </text>
        ) : null,
      )}
      {series.map((name, at) =>
        kind === 'columns' ? (
          rows.map((row, place) => {
            const value = valueAt(place, at);
            return value === null ? null : (
              <rect
                key={row.name}
                data-series={at}
                x={x(place) + (at - series.length / 2) * wide}
                y={y(value)}
                width={wide}
                height={y(0) - y(value)}
              >
                <title>{hint(place, at)}</title>
              </rect>
            );
          })
        ) : (
          <g key={name}>
            <path
              data-series={at}
              d={rows
                .map((_, row) => {
                  const value = valueAt(row, at);
                  if (value === null) return '';
                  return `${row > 0 && valueAt(row - 1, at) !== null ? 'L' : 'M'}${x(row)} ${y(value)}`;
                })
                .join('')}
            />
            {rows.map((row, place) => {
              const value = valueAt(place, at);
              const isAlone = valueAt(place - 1, at) === null && valueAt(place + 1, at) === null;
              if (value === null || !(across >= 8 || isAlone)) return null;
              return (
                <circle key={row.name} data-series={at} cx={x(place)} cy={y(value)} r="3">
                  <title>{hint(place, at)}</title>
                </circle>
              );
            })}
          </g>
        ),
      )}
    </>
  );
}

/** Bars with their labels on the left and their values on the right; the chart cuts long labels, the table does not. */
function Bars({ figures: { unit, rows }, width }: { figures: Figures; width: number }) {
  const longest = Math.max(...rows.map(({ name }) => name.length)) * CHARACTER + 8;
  const names = Math.min(longest, width * 0.38);
  const words = rows.map(({ values: [value = null] }) => inWords(unit, value));
  const figures = Math.max(...words.map(({ length }) => length)) * CHARACTER + BESIDE + WIDE_SIGN;
  const highest = Math.max(...rows.map(({ values: [value] }) => value ?? 0));
  const room = Math.max(0, width - names - figures);
  const most = Math.max(4, Math.floor(names / CHARACTER) - 1);
  return rows.map(({ name, values: [value] }, row) => {
    const long = highest > 0 ? ((value ?? 0) / highest) * room : 0;
    const middle = row * ROW + ROW / 2;
    return (
      <g key={name}>
        <title>{`${name}: ${words[row]}`}</title>
        <text className={styles['name']} x={names - 8} y={middle + 4} textAnchor="end">
          {shorten(name, most)}
        </text>
        <rect data-series={0} x={names} y={middle - 9} width={long} height="18" />
        <text className={styles['name']} x={names + long + 6} y={middle + 4}>
          {words[row]}
        </text>
      </g>
    );
  });
}
