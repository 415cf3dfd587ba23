import { api } from '../api.js';
import { claim } from '../claim.js';
import { drafts } from '../drafts.js';
import { html, live, nothing } from '../lit.js';
import { loadList, loadTicket } from '../load.js';
import { takesPart, worksOn } from '../may.js';
import { attempt, say, state } from '../state.js';
import { nameOf, otherClaim } from '../words.js';
import { onCtrlEnter, refusal } from './bits.js';

/** The composers for replies and internal notes, which look different so that users do not confuse them. */
export function composers() {
  const { record } = state.ticket;
  if (!worksOn(record)) return replyOnly(record);
  const reader = nameOf(record.requesterId) || 'the requester';
  const inChat = record.chatThreads.some(({ type }) => type !== 'TRIAGE');
  const other = otherClaim(record);
  return html`
    ${
      other
        ? html`<p class="notice" role="status">
            ${nameOf(other.userId) || 'Another user'} is answering this ticket right now.
          </p>`
        : nothing
    }
    ${composer({
      kind: 'reply',
      label: `Reply to ${reader}`,
      help: inChat ? 'Everyone in the thread in chat can see it.' : 'The requester can see it.',
      button: 'Send reply',
    })}
    ${composer({
      kind: 'note',
      label: 'Internal note',
      help: 'Only your team can see it.',
      button: 'Add note',
    })}
  `;
}

/** For those whom the ticket concerns, and who do not work on it. */
function replyOnly(record) {
  if (takesPart(record))
    return composer({
      kind: 'reply',
      label: 'Reply',
      help: 'The team that works on this ticket can see it.',
      button: 'Send reply',
    });
  return html`<p class="notice">
    ${record.queue ? `Only agents of the queue ${record.queue.name} can answer this ticket.` : 'Only agents of all queues can answer this ticket.'}
  </p>`;
}

function composer({ kind, label, help, button }) {
  const { id } = state.ticket.record;
  const place = `${kind} ${id}`;
  const isBusy = state.busy.has(place);
  const send = async (form) => {
    const content = form.elements.content.value.trim();
    if (content === '') return form.elements.content.focus();
    const isSent = await attempt(place, async () => {
      await api.send({ ticketId: id, content, private: kind === 'note' });
      drafts.set(place, '');
    });
    if (!isSent) return;
    say(kind === 'note' ? 'Note added.' : 'Reply sent.');
    await Promise.all([loadTicket(), loadList()]);
  };
  return html`
    <form
      class="composer"
      data-kind=${kind}
      @submit=${(event) => {
        event.preventDefault();
        void send(event.target);
      }}
    >
      <label for=${kind}>${label}</label>
      <textarea
        id=${kind}
        name="content"
        rows=${kind === 'note' ? 2 : 4}
        aria-describedby=${`${kind}-help`}
        ?readonly=${isBusy}
        .value=${live(drafts.get(place))}
        @input=${({ target }) => {
          drafts.set(place, target.value);
          if (kind === 'reply' && worksOn(state.ticket.record)) void claim();
        }}
        @keydown=${onCtrlEnter(({ target }) => void send(target.form))}
      ></textarea>
      ${refusal(place)}
      <footer>
        <span id=${`${kind}-help`} class="dim">${help}</span>
        <button class=${kind === 'note' ? 'plain' : 'primary'} ?disabled=${isBusy}>
          ${isBusy ? 'Sending…' : button}
        </button>
      </footer>
    </form>
  `;
}
