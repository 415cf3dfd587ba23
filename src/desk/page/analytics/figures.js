import { PRIORITIES } from '../words.js';
import { BARS, SERIES, WHAT } from './question.js';
import { intervalName, inWords } from './units.js';

const SOURCES = {
  WEB: 'Help desk',
  EMAIL: 'E-mail',
  FORM: 'Form',
  CHAT: 'Chat',
  SLA: 'Response target',
  WORKFLOW: 'Workflow',
  INTEGRATION: 'Integration',
  SYSTEM: 'System',
  AGENT: 'AI agent',
  API: 'API',
};
const NOBODY = { assigneeId: 'Unassigned', requesterId: 'Nobody', csatScore: 'Not rated', tags: 'No tag' };

/**
 * The label of a group. Enum values of the contract are made readable; other groups have the name that the
 * service returns.
 */
function groupName(by, id, name) {
  if (id === null || id === 'none') return NOBODY[by] ?? 'None';
  const known = { priority: PRIORITIES, source: SOURCES }[by] ?? {};
  return known[id] ?? (name || id);
}

/** Without data the service returns 0: that is a valid count, but for a time or rating it means no value. */
const valueOf = (unit, value) =>
  typeof value !== 'number' || (unit !== 'count' && value === 0) ? null : value;

/**
 * What the chart and table show, from the service's response: `rows` with `name`, `short` and one value per
 * series, null for none; `more`: whether further groups exist.
 */
export function figuresOf(question, per, answer) {
  const { unit } = WHAT[question.what];
  return question.show === 'groups' ? ofGroups(question, unit, answer) : ofTime(question, unit, per, answer);
}

/** Groups with a natural order keep it; others are sorted by size, as the service returns them. */
const ORDERS = { priority: Object.keys(PRIORITIES), csatScore: ['5', '4', '3', '2', '1'] };

function inOrder(by, groups) {
  const order = ORDERS[by];
  if (!order) return groups;
  const place = ({ groupId }) => (order.includes(groupId) ? order.indexOf(groupId) : order.length);
  return groups.toSorted((a, b) => place(a) - place(b));
}

function ofGroups({ by, what }, unit, { data }) {
  const shown = inOrder(by, data.slice(0, BARS));
  const rows = shown.map(({ groupId, groupName: given, value }) => {
    const name = groupName(by, groupId, given);
    return { name, short: name, values: [valueOf(unit, value)] };
  });
  return { kind: 'bars', unit, series: [WHAT[what].label], rows, more: data.length > BARS };
}

function ofTime({ by, what, range }, unit, per, { data, chartConfig }) {
  // Another service may describe its chart differently; the keys of its rows name the series.
  const described = chartConfig?.series?.length
    ? chartConfig.series
    : Object.keys(data[0] ?? {})
        .filter((key) => key !== 'timestamp')
        .map((key) => ({ key, label: key }));
  const shown = described.slice(0, by ? SERIES : 1);
  const rows = data.map((row, place) => {
    const { short, long } = intervalName(per, row.timestamp);
    // A range that ends now ends within an interval.
    const isRunning = range !== 'own' && place === data.length - 1;
    return {
      name: isRunning ? `${long}, so far` : long,
      short,
      values: shown.map(({ key }) => valueOf(unit, row[key])),
    };
  });
  return {
    kind: by || unit !== 'count' ? 'lines' : 'columns',
    unit,
    series: by ? shown.map(({ key, label }) => groupName(by, key, label)) : [WHAT[what].label],
    rows,
    more: described.length > shown.length,
  };
}

/** Whether the chart has no data. */
export function isEmpty({ rows }) {
  return rows.every(({ values }) => values.every((value) => value === null || value === 0));
}

/** A text alternative of the chart, in one sentence. */
export function sentenceOf({ kind, unit, series, rows }) {
  const all = rows.flatMap(({ name, values }) =>
    values.map((value, place) => ({ name, value, of: series[place] })).filter(({ value }) => value !== null),
  );
  const highest = all.reduce((most, each) => (each.value > most.value ? each : most), all[0]);
  const many = series.length > 1 ? `, ${highest.of}` : '';
  const of = { bars: 'Bars', columns: 'Columns', lines: 'Lines' }[kind];
  return `${of} of ${series.length > 1 ? series.join(', ') : series[0]}. Highest: ${inWords(unit, highest.value)}, ${highest.name}${many}. All figures are in the table below.`;
}
