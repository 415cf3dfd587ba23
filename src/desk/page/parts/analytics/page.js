import { isEmpty } from '../../analytics/figures.js';
import { loadAnalytics } from '../../analytics/load.js';
import { GROUPS, INTERVALS, RANGES, rangeOf, TYPICAL, WHAT } from '../../analytics/question.js';
import { inWords } from '../../analytics/units.js';
import { html, nothing, ref } from '../../lit.js';
import { change, state } from '../../state.js';
import { moment } from '../../words.js';
import { chart } from './chart.js';
import { questions } from './questions.js';
import { table } from './table.js';

const NARROWEST = 260;
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Charts are drawn in pixels of their container, so that their text is as large on a phone as elsewhere. */
const observer = new ResizeObserver(([{ contentRect }]) => {
  const width = Math.max(NARROWEST, Math.floor(contentRect.width));
  if (width !== state.analytics.width) change({ analytics: { ...state.analytics, width } });
});
const measure = (place) => {
  observer.disconnect();
  if (place) observer.observe(place);
};

/**
 * Figures of tickets and messages (specification, Analytics previews): the question, a chart, and the same
 * data as a table.
 */
export function analyticsPage() {
  const { question } = state.route;
  const { answer, width, busy, error } = state.analytics;
  return html`
    <h1 tabindex="-1">Analytics</h1>
    <div class="analytics">
      ${questions(question)} ${error ? html`<p class="refusal">${error}</p>` : nothing}
      <section class="answer" aria-busy=${String(Boolean(busy))} aria-label="Answer">
        <div ${ref(measure)}></div>
        ${answer && width ? shown(answer, width) : error ? nothing : html`<p class="dim">Reading the figures…</p>`}
      </section>
    </div>
  `;
}

function shown({ question, per, figures, total, at }, width) {
  const { label, unit, field } = WHAT[question.what];
  const what = field ? `${label} (${TYPICAL[question.typical].toLowerCase()})` : label;
  const first = question.show === 'groups' ? GROUPS[question.by] : INTERVALS[per];
  const many = question.by === 'tags' ? ' A ticket with several tags is in each of their groups.' : '';
  return html`
    <figure>
      <figcaption>
        <h2>${what}</h2>
        ${total === null ? nothing : html`<p class="total">${inWords(unit, total)}</p>`}
      </figcaption>
      ${
        isEmpty(figures)
          ? html`<p class="empty dim">No data in this period. Try a longer one.</p>`
          : chart(figures, width)
      }
      ${figures.more ? html`<p class="dim">Only the largest ${figures.kind === 'bars' ? figures.rows.length : figures.series.length} groups are shown.${many}</p>` : many && html`<p class="dim">${many}</p>`}
    </figure>
    ${isEmpty(figures) ? nothing : table(figures, question, first)}
    <p class="dim asked">
      ${spanOf(question, at)}${queueName(question.queueId)}, as of ${moment(at)}.
      <button class="quiet" @click=${() => void loadAnalytics()}>Refresh</button>
    </p>
  `;
}

/** The range as text, for printed pages. */
function spanOf(question, at) {
  if (question.range !== 'own') return RANGES[question.range].label;
  const { from, to } = rangeOf(question, at);
  return `${DAY.format(from)} to ${DAY.format(to)}`;
}

function queueName(queueId) {
  const queue = state.queues.find(({ id }) => id === queueId);
  return queue ? `, queue ${queue.name}` : '';
}
