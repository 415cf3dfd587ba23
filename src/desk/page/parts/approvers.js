import { drafts } from '../drafts.js';
import { html, live, nothing } from '../lit.js';
import { change, focusOn, state } from '../state.js';
import { nameOf } from '../words.js';
import { write } from '../write.js';
import { refusal } from './bits.js';
import { peopleField } from './chips.js';

const place = ({ id }) => `decline ${id}`;

/** The approvers, the decision, and the signed-in approver's buttons. */
export function approvers(record) {
  const ids = record.approvers.map(({ id }) => id);
  return html`${peopleField({
    key: 'approver',
    label: 'Approvers',
    add: 'Add an approver',
    ids,
    onChange: (approverIds) => void write('approvers', { approverIds }),
    beside: decisionOf(record),
  })}
  ${refusal('fact approvers')}`;
}

/** The decision, or the signed-in approver’s buttons. */
export function decisionOf(record) {
  const isApprover = record.approvers.some(({ id }) => id === state.session.userId);
  return decided(record) ?? (isApprover ? decision(record) : nothing);
}

function decided({ approvedAt, declinedAt, metadata }) {
  if (!approvedAt && !declinedAt) return undefined;
  const { userId, reason } = metadata?.approval ?? {};
  return html`<p>
    ${approvedAt ? 'Approved' : 'Declined'}${userId ? html` by ${nameOf(userId) || 'unknown'}` : nothing}${reason ? html`: ${reason}` : nothing}
  </p>`;
}

const decide = (field, reason) => write('approvers', { [field]: new Date().toISOString() }, reason);

function decision(record) {
  if (state.declining === record.id) return whyNot(record);
  const ask = () => {
    change({ declining: record.id });
    focusOn('#why-not');
  };
  return html`<p class="chips">
    <button class="primary" @click=${() => decide('approvedAt')}>Approve</button>
    <button class="plain" @click=${ask}>Decline…</button>
  </p>`;
}

/** The reason stays until the request succeeds. */
function whyNot(record) {
  const submit = async (event) => {
    event.preventDefault();
    const reason = drafts.get(place(record)).trim();
    if (!(await decide('declinedAt', reason || undefined))) return;
    drafts.set(place(record), '');
    change({ declining: undefined });
  };
  return html`<form class="why-not" @submit=${submit}>
    <label class="field">
      <span>Why is it declined?</span>
      <textarea
        id="why-not"
        rows="2"
        .value=${live(drafts.get(place(record)))}
        @input=${({ target }) => drafts.set(place(record), target.value)}
      ></textarea>
    </label>
    <p class="chips">
      <button class="primary" ?disabled=${state.busy.has('fact approvers')}>Decline</button>
      <button type="button" class="plain" @click=${() => change({ declining: undefined })}>Cancel</button>
    </p>
  </form>`;
}
