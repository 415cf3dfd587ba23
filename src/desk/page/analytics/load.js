import { call, path, Refusal } from '../api.js';
import { change, say, state } from '../state.js';
import { loadWorkspaces, workspaces } from '../workspaces.js';
import { figuresOf, isEmpty, sentenceOf } from './figures.js';
import { intervalOf, rangeOf, requestsOf, WHAT } from './question.js';

const show = (part) => change({ analytics: { ...state.analytics, ...part } });
const ask = (kind, body) => call('POST', path('analytics', `preview-${kind}`), body);
let turn = 0;

/** Loads the figures for the question in the address. Of two concurrent loads, the later one wins. */
export async function loadAnalytics() {
  const mine = ++turn;
  show({ busy: true });
  try {
    const found = await answered(state.route.question);
    if (mine !== turn) return;
    show({ ...found, busy: false, error: undefined });
    const { figures } = found.answer;
    say(isEmpty(figures) ? 'Nothing to show.' : sentenceOf(figures));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (mine !== turn) return;
    show({ busy: false, answer: undefined, error: error.message });
    say(error.message);
  }
}

async function answered(question) {
  const now = new Date();
  const range = rangeOf(question, now);
  if (range.from > range.to) throw new Refusal(400, 'The first day is after the last one. Swap them.');
  if (workspaces().length === 0) await loadWorkspaces();
  const workspaceId = question.workspaceId ?? workspaces()[0]?.id;
  if (!workspaceId) throw new Refusal(404, 'This service names no workspace that figures could be of.');
  const { chart, total } = requestsOf(question, workspaceId, now);
  const [drawn, whole] = await Promise.all([
    ask(question.show === 'groups' ? 'metric' : 'trend', chart),
    // The number above the chart; absent if the service only supports groups.
    ask('metric', total).catch((error) => {
      if (error instanceof Refusal) return undefined;
      throw error;
    }),
  ]);
  const per = intervalOf(question, range);
  const figures = figuresOf(question, per, drawn);
  return {
    workspaceId,
    answer: { question, per, figures, total: totalOf(question, whole), at: now },
  };
}

function totalOf({ what }, whole) {
  const value = whole?.type === 'single' ? whole.data[0]?.value : undefined;
  return value === undefined || (WHAT[what].unit !== 'count' && value === 0) ? null : value;
}
