import { claim } from '../claim.js';
import { html, nothing } from '../lit.js';
import { isRequester } from '../may.js';
import { state } from '../state.js';
import { localInstant, moment, PRIORITIES } from '../words.js';
import { undo, write } from '../write.js';
import { approvers, decisionOf } from './approvers.js';
import { refusal, select, withPresent } from './bits.js';
import { tagsField } from './chips.js';
import { customFields } from './custom-fields.js';
import { personField } from './person-field.js';
import { statusGroups } from './ticket-list.js';

/** The editable fields of a ticket; each is saved when it changes. */
export function facts(record) {
  const me = state.session.userId;
  const assign = (assigneeId) => void write('assignee', { assigneeId });
  const take = () => {
    void claim();
    assign(me);
  };
  return html`
    ${undoLine(record)}
    <div class="fields">
      ${select({
        label: 'Status',
        value: record.statusId,
        options: withPresent(statusGroups(), record.statusId, record.status.label),
        onChange: (statusId) => write('status', { statusId }),
      })}
      ${refusal('fact status')}
      ${personField({
        key: 'assignee',
        label: 'Assignee',
        value: record.assigneeId,
        placeholder: 'Unassigned',
        onPick: assign,
      })}
      ${me && record.assigneeId !== me ? html`<button class="plain" @click=${take}>Take it</button>` : nothing}
      ${refusal('fact assignee')}
      ${select({
        label: 'Priority',
        value: record.priority,
        options: withPresent(Object.entries(PRIORITIES), record.priority, record.priority),
        onChange: (priority) => write('priority', { priority }),
      })}
      ${refusal('fact priority')}
      ${select({
        label: 'Queue',
        value: record.queueId,
        options: withPresent(
          state.queues.map(({ id, name }) => [id, name]),
          record.queueId ?? '',
          record.queue?.name ?? 'None',
        ),
        onChange: (queueId) => write('queue', { queueId }),
      })}
      ${refusal('fact queue')}
      ${tagsField({
        label: 'Tags',
        ids: record.tags.map(({ id }) => id),
        onAdd: (id) => write('tags', { addTags: [{ id }] }),
        onRemove: (id) => write('tags', { removeTags: [{ id }] }),
      })}
      ${refusal('fact tags')} ${approvers(record)} ${instant(record, 'dueAt', 'Due')}
      ${instant(record, 'snoozeUntil', 'Snoozed until')}
    </div>
    ${customFields(record)} ${known(record)}
  `;
}

/** The fields of a ticket that the user cannot change, and the buttons of an approver. */
export function readFacts(record) {
  const { approvers: people } = record;
  return html`${decisionOf(record)} ${refusal('fact approvers')}
  ${known(record, [
    ['Status', record.status.label],
    ['Assignee', assigneeOf(record)],
    ['Priority', PRIORITIES[record.priority] ?? record.priority],
    ['Queue', record.queue?.name],
    ['Approvers', people.map(({ id }) => nameOf(id)).join(', ')],
    ['Due', record.dueAt && moment(record.dueAt)],
  ])}`;
}

/** A requester knows the agents who wrote to them. */
const assigneeOf = ({ assigneeId }) =>
  !assigneeId ? 'Unassigned' : state.people.has(assigneeId) ? nameOf(assigneeId) : 'An agent';

/** The element is always there, so that the layout does not shift under the pointer. */
function undoLine(record) {
  const words = html`Saved. <button class="quiet" @click=${() => void undo()}>Undo</button>`;
  return html`<p class="undo">${state.undo?.id === record.id ? words : nothing}</p>`;
}

/** Saved when the field loses focus: while a year is typed, each digit would be another date. */
function instant(record, key, label) {
  const leave = ({ target }) => {
    if (target.validity.valid && target.value !== localInstant(record[key]))
      void write(key, { [key]: target.value === '' ? null : new Date(target.value).toISOString() });
  };
  return html`<label class="field">
      <span>${label}</span>
      <input type="datetime-local" .value=${localInstant(record[key])} @blur=${leave} />
    </label>
    ${refusal(`fact ${key}`)}`;
}

/** Read-only fields, after those in `first`. */
function known(record, first = []) {
  const rows = [
    ...first,
    ['Request type', record.requestType?.name],
    ...record.csat.map((each) => ['Rating', rating(each)]),
    ['Opened', moment(record.createdAt)],
    ['Resolved', record.resolvedAt && moment(record.resolvedAt)],
    ...record.chatThreads
      .filter(({ url, type }) => url && !(isRequester() && type === 'TRIAGE'))
      .map(({ url, type }) => [
        'Chat',
        html`<a href=${url} target="_blank"
          >${type === 'TRIAGE' ? 'Open the team’s thread' : 'Open the thread'}</a
        >`,
      ]),
  ].filter(([, value]) => value);
  return html`<dl class="known">
    ${rows.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The requester's rating out of five stars. */
function rating({ score, feedback }) {
  const full = Math.min(5, Math.max(0, Math.round(score)));
  return html`<span class="stars" role="img" aria-label=${`${score} of 5`}
      >${'★'.repeat(full)}${'☆'.repeat(5 - full)}</span
    >
    ${feedback ? html`<span>${feedback}</span>` : nothing}`;
}
