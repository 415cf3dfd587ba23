import {
  analyticsAddress,
  GROUPS,
  INTERVALS,
  intervalOf,
  intervalsOf,
  RANGES,
  rangeOf,
  TYPICAL,
  WHAT,
} from '../../analytics/question.js';
import { html, live, nothing } from '../../lit.js';
import { goTo } from '../../route.js';
import { state } from '../../state.js';
import { workspaces } from '../../workspaces.js';
import { select } from '../bits.js';

const named = (records) => Object.entries(records).map(([key, value]) => [key, value.label ?? value]);

/**
 * The controls of the question. A change loads the figures at once and updates the address, which can be
 * bookmarked or shared.
 */
export function questions(question) {
  const { what, typical, show, by, range, queueId } = question;
  const ask = (part) => goTo(analyticsAddress({ ...question, ...part }));
  const choice = (label, key, options, value = question[key]) =>
    select({ label, value, options, onChange: (chosen) => ask({ [key]: chosen }) });
  const span = rangeOf(question, new Date());
  return html`<div class="questions" role="group" aria-label="What to show">
    ${select({
      label: 'Show',
      value: what,
      options: named(WHAT),
      // The function for ratings differs from the one for times.
      onChange: (chosen) => ask({ what: chosen, typical: undefined }),
    })}
    ${WHAT[what].field ? choice('As', 'typical', named(TYPICAL), typical) : nothing}
    ${select({
      label: 'Draw',
      value: show,
      options: [
        ['time', 'Along time'],
        ['groups', 'By group'],
      ],
      onChange: (chosen) => ask({ show: chosen, by: undefined }),
    })}
    ${choice('Grouped by', 'by', [...(show === 'time' ? [['', 'Nothing']] : []), ...named(GROUPS)], by)}
    ${choice('When', 'range', named(RANGES))} ${range === 'own' ? days(question, ask) : nothing}
    ${
      show === 'time'
        ? choice(
            'Per',
            'per',
            intervalsOf(span).map((per) => [per, INTERVALS[per]]),
            intervalOf(question, span),
          )
        : nothing
    }
    ${choice('Queue', 'queueId', [['', 'All'], ...state.queues.map(({ id, name }) => [id, name])], queueId)}
    ${
      workspaces().length > 1
        ? select({
            label: 'Workspace',
            value: state.analytics.workspaceId,
            options: workspaces().map(({ id, name }) => [id, name]),
            onChange: (workspaceId) => ask({ workspaceId, queueId: undefined }),
          })
        : nothing
    }
  </div>`;
}

function days(question, ask) {
  const day = (label, key) =>
    html`<label class="field">
      <span>${label}</span>
      <input
        type="date"
        .value=${live(question[key] ?? '')}
        @change=${({ target }) => ask({ [key]: target.value })}
      />
    </label>`;
  return html`${day('From', 'from')} ${day('Until', 'to')}`;
}
