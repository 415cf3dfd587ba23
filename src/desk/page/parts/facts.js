import { api } from '../api.js';
import { html, nothing } from '../lit.js';
import { loadList, loadTicket } from '../load.js';
import { attempt, say, state } from '../state.js';
import { moment, nameOf, PRIORITIES } from '../words.js';
import { select } from './bits.js';
import { personField } from './person-field.js';
import { statusGroups } from './ticket-list.js';

let line = Promise.resolve();

/** Writes what is named, one after the other, and reads the ticket again: what is shown is what the service has. */
function write(data) {
  const { id } = state.ticket.record;
  line = line.then(async () => {
    const isDone = await attempt('facts', () => api.updateTicket(id, data));
    if (!isDone) return;
    say('Saved.');
    await Promise.all([loadTicket(), loadList()]);
  });
}

/** What can be changed of a ticket; each field is written when it changes. */
export function facts(record) {
  return html`
    <div class="fields">
      ${select({
        label: 'Status',
        value: record.statusId,
        options: withPresent(statusGroups(), record.statusId, record.status.label),
        onChange: (statusId) => write({ statusId }),
      })}
      ${personField({
        key: 'assignee',
        label: 'Assignee',
        value: record.assigneeId,
        placeholder: 'Nobody yet',
        onPick: (assigneeId) => write({ assigneeId }),
      })}
      ${
        state.session.userId && record.assigneeId !== state.session.userId
          ? html`<button class="plain" @click=${() => write({ assigneeId: state.session.userId })}>
              Take it
            </button>`
          : nothing
      }
      ${select({
        label: 'Priority',
        value: record.priority,
        options: withPresent(Object.entries(PRIORITIES), record.priority, record.priority),
        onChange: (priority) => write({ priority }),
      })}
      ${select({
        label: 'Queue',
        value: record.queueId,
        options: withPresent(
          state.queues.map(({ id, name }) => [id, name]),
          record.queueId ?? '',
          record.queue?.name ?? 'None',
        ),
        onChange: (queueId) => write({ queueId }),
      })}
      ${tags(record)} ${approvers(record)} ${instant(record, 'dueAt', 'Due')}
      ${instant(record, 'snoozeUntil', 'Snoozed until')}
    </div>
    ${known(record)}
  `;
}

/** The choice that a ticket has is offered even where the lists do not have it. */
function withPresent(options, value, words) {
  const isThere = options.some((each) =>
    Array.isArray(each) ? each[0] === value : each.options.some(([id]) => id === value),
  );
  return isThere ? options : [[value, words], ...options];
}

function tags(record) {
  const others = state.tags.filter(({ id }) => !record.tags.some((tag) => tag.id === id));
  return html`
    <div class="field" role="group" aria-label="Tags">
      <span>Tags</span>
      <span class="chips">
        ${record.tags.map((tag) => chip(tag.name, () => write({ removeTags: [{ id: tag.id }] })))}
      </span>
      ${
        others.length > 0
          ? select({
              label: 'Add a tag',
              value: '',
              options: [['', '…'], ...others.map(({ id, name }) => [id, name])],
              onChange: (id) => write({ addTags: [{ id }] }),
            })
          : nothing
      }
    </div>
  `;
}

function approvers(record) {
  const ids = record.approvers.map(({ id }) => id);
  const decision = record.metadata?.approval;
  const mayDecide = ids.includes(state.session.userId) && !record.approvedAt && !record.declinedAt;
  const decide = (field) => write({ [field]: new Date().toISOString() });
  return html`
    <div class="field" role="group" aria-label="Approvers">
      <span>Approvers</span>
      <span class="chips">
        ${ids.map((id) =>
          chip(nameOf(id) || 'Somebody', () => write({ approverIds: ids.filter((each) => each !== id) })),
        )}
      </span>
      ${
        record.approvedAt || record.declinedAt
          ? html`<p class="dim">
              ${record.approvedAt ? 'Approved' : 'Declined'}${decision?.userId ? html` by ${nameOf(decision.userId)}` : nothing}
            </p>`
          : nothing
      }
      ${
        mayDecide
          ? html`<p class="chips">
              <button class="primary" @click=${() => decide('approvedAt')}>Approve</button>
              <button class="plain" @click=${() => decide('declinedAt')}>Decline</button>
            </p>`
          : nothing
      }
      ${personField({
        key: 'approver',
        label: 'Add an approver',
        value: null,
        placeholder: '',
        onPick: (id, field) => {
          field.value = '';
          if (id) write({ approverIds: [...ids, id] });
        },
      })}
    </div>
  `;
}

function chip(words, remove) {
  return html`<span class="chip">
    ${words}<button class="quiet" aria-label=${`Remove ${words}`} @click=${remove}>×</button>
  </span>`;
}

/** Written when the field is left: while a year is typed, each digit would be another date. */
function instant(record, key, label) {
  const leave = ({ target }) => {
    if (target.value !== localInstant(record[key]))
      write({ [key]: target.value === '' ? null : new Date(target.value).toISOString() });
  };
  return html`<label class="field">
    <span>${label}</span>
    <input type="datetime-local" .value=${localInstant(record[key])} @blur=${leave} />
  </label>`;
}

/** As a field for date and time shows it, in this browser's time zone. */
function localInstant(at) {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What is only to be read. */
function known(record) {
  const fields = Object.entries(record.customFields ?? {}).filter(([, value]) => value !== null);
  const form = state.forms.find(({ id }) => id === record.requestTypeId);
  const labelOf = (key) =>
    form?.customFields.find(({ customField }) => customField.key === key)?.customField.label ?? key;
  const rows = [
    ['Request type', record.requestType?.name],
    ...fields.map(([key, value]) => [labelOf(key), [value].flat().map(String).join(', ')]),
    ...record.csat.map(({ score, feedback }) => [
      'Rating',
      `${score} of 5${feedback ? `: ${feedback}` : ''}`,
    ]),
    ['Opened', moment(record.createdAt)],
    ['Resolved', record.resolvedAt && moment(record.resolvedAt)],
  ].filter(([, value]) => value);
  return html`<dl class="known">
    ${rows.map(
      ([label, value]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
    ${record.chatThreads
      .filter(({ url }) => url)
      .map(
        ({ url, type }) =>
          html`<div>
            <dt>Chat</dt>
            <dd>
              <a href=${url} target="_blank"
                >${type === 'TRIAGE' ? 'Open the team’s thread' : 'Open the thread'}</a
              >
            </dd>
          </div>`,
      )}
  </dl>`;
}
