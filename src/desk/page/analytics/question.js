/**
 * The questions of the page. `dateField` says by which date a range selects tickets, for example the date of
 * the first reply.
 */
export const WHAT = {
  opened: { label: 'Tickets opened', unit: 'count', dateField: 'createdAt' },
  resolved: { label: 'Tickets resolved', unit: 'count', dateField: 'resolvedAt' },
  messages: { label: 'Messages', unit: 'count', dateField: 'createdAt', dataSource: 'TicketMessage' },
  response: {
    label: 'Time to the first answer',
    unit: 'seconds',
    dateField: 'respondedAt',
    field: 'responseTime',
  },
  assignment: {
    label: 'Time to assignment',
    unit: 'seconds',
    dateField: 'assignedAt',
    field: 'timeToAssignment',
  },
  resolution: {
    label: 'Time to resolution',
    unit: 'seconds',
    dateField: 'resolvedAt',
    field: 'timeToResolution',
  },
  csat: { label: 'Satisfaction, of 5', unit: 'score', dateField: 'createdAt', field: 'csat' },
};

/** How many times or ratings are summarized in one value. */
export const TYPICAL = {
  median: 'Median',
  p90: '9 of 10 below',
  avg: 'Average',
  min: 'Lowest',
  max: 'Highest',
};

export const GROUPS = {
  statusId: 'Status',
  queueId: 'Queue',
  priority: 'Priority',
  requestTypeId: 'Request type',
  assigneeId: 'Assignee',
  requesterId: 'Requester',
  tags: 'Tag',
  source: 'Source',
  csatScore: 'Rating',
};

export const RANGES = {
  '24h': { label: 'Last 24 hours', per: 'hour' },
  '7d': { label: 'Last 7 days', per: 'day' },
  '30d': { label: 'Last 30 days', per: 'day' },
  '13w': { label: 'Last 13 weeks', per: 'week' },
  '12m': { label: 'Last 12 months', per: 'month' },
  own: { label: 'From … to …' },
};

export const INTERVALS = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  quarter: 'Quarter',
  year: 'Year',
};
const HOURS = { hour: 1, day: 24, week: 168, month: 672, quarter: 2160, year: 8760 };
/** More points than this are hard to read on a screen and in the table. */
const MOST_POINTS = 400;
/** The maximum of lines and bars in a readable chart. */
export const SERIES = 8;
export const BARS = 20;

const KEYS = ['what', 'typical', 'show', 'by', 'range', 'from', 'to', 'per', 'queueId', 'workspaceId'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the question from an address; missing or unknown parts get their default. */
export function readQuestion(query) {
  const given = new URLSearchParams(query);
  const one = (key, known, otherwise) => (Object.hasOwn(known, given.get(key)) ? given.get(key) : otherwise);
  const what = one('what', WHAT, 'opened');
  const range = one('range', RANGES, '30d');
  const show = given.get('show') === 'groups' ? 'groups' : 'time';
  return {
    what,
    typical: one('typical', TYPICAL, what === 'csat' ? 'avg' : 'median'),
    show,
    by: one('by', GROUPS, show === 'groups' ? 'statusId' : undefined),
    range,
    ...(range === 'own' && {
      from: DAY.test(given.get('from')) ? given.get('from') : undefined,
      to: DAY.test(given.get('to')) ? given.get('to') : undefined,
    }),
    per: one('per', INTERVALS, undefined),
    queueId: given.get('queueId') ?? undefined,
    workspaceId: given.get('workspaceId') ?? undefined,
  };
}

export function analyticsAddress(question) {
  const given = KEYS.filter((key) => question[key]).map((key) => [key, question[key]]);
  return `#/analytics?${new URLSearchParams(given)}`;
}

/**
 * The range from the start of an interval to now, or the chosen whole days, in the time zone of the browser.
 */
export function rangeOf({ range, from, to }, now) {
  const day = (back) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  const of = {
    '24h': () => new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() - 23),
    '7d': () => day(6),
    '30d': () => day(29),
    // Weeks begin on Monday.
    '13w': () => day(((now.getDay() + 6) % 7) + 12 * 7),
    '12m': () => new Date(now.getFullYear(), now.getMonth() - 11, 1),
  };
  if (range !== 'own') return { from: of[range](), to: now };
  const wall = (text, daysMore) => {
    const [year, month, date] = text.split('-').map(Number);
    return new Date(year, month - 1, date + daysMore);
  };
  return { from: from ? wall(from, 0) : day(29), to: to ? new Date(wall(to, 1).getTime() - 1) : now };
}

/** The intervals that suit a chart of a range: at least two points if possible, and not too many. */
export function intervalsOf({ from, to }) {
  const hours = (to - from) / 3_600_000;
  const fitting = Object.keys(INTERVALS).filter((per) => hours / HOURS[per] <= MOST_POINTS);
  const telling = fitting.filter((per) => hours / HOURS[per] >= 1.5);
  return telling.length > 0 ? telling : fitting.slice(0, 1);
}

export function intervalOf(question, range) {
  const possible = intervalsOf(range);
  const wanted = [question.per, RANGES[question.range].per].find((per) => possible.includes(per));
  if (wanted) return wanted;
  // About as many points as a month has days.
  const hours = (range.to - range.from) / 3_600_000;
  return possible.findLast((per) => hours / HOURS[per] >= 12) ?? possible[0];
}

/** The requests (`previewMetric`, `previewTrend`) for a question. */
export function requestsOf(question, workspaceId, now) {
  const { what, typical, show, by, queueId } = question;
  const { field, dateField, dataSource = 'Ticket' } = WHAT[what];
  const range = rangeOf(question, now);
  const query = {
    dataSource,
    dateField,
    aggregations: [{ type: field ? typical : 'count', field: field ?? 'id', alias: 'value' }],
    ...(queueId && { filterGroups: [[{ field: 'queueId', condition: 'equals', value: queueId }]] }),
  };
  const surroundings = {
    workspaceId,
    dateRange: { from: range.from.toISOString(), to: range.to.toISOString() },
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
  };
  // One more than the chart shows, to detect whether there are more.
  const chart =
    show === 'groups'
      ? { query: { ...query, groupBy: by, limit: BARS + 1 }, ...surroundings }
      : {
          query: {
            ...query,
            timeInterval: intervalOf(question, range),
            ...(by && { groupBy: [by], limit: SERIES + 1 }),
          },
          ...surroundings,
        };
  return { chart, total: { query, ...surroundings } };
}
