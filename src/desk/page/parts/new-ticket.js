import { api } from '../api.js';
import { drafts } from '../drafts.js';
import { html, live, nothing } from '../lit.js';
import { isRequester } from '../may.js';
import { goTo, listAddress, ticketAddress } from '../route.js';
import { findSimilar } from '../similar.js';
import { attempt, change, state } from '../state.js';
import { PRIORITIES } from '../words.js';
import { refusal, select } from './bits.js';
import { formFields, readFields } from './form-fields.js';
import { personField } from './person-field.js';
import { similar } from './similar.js';

const PLACE = 'new';

let typing;

/** The form for a new ticket: the fields of any ticket, and those of the chosen request type. */
export function newTicket() {
  const { typeId = '', requesterId = null, given = {} } = state.created ?? {};
  const form = state.forms.find(({ id }) => id === typeId);
  const set = (part) => change({ created: { ...state.created, ...part } });
  const submit = async (event) => {
    event.preventDefault();
    const { elements } = event.target;
    const value = (name) => elements[name]?.value.trim() || null;
    let code;
    const isDone = await attempt(PLACE, async () => {
      const ticket = await api.createTicket({
        title: value('title'),
        description: value('description'),
        queueId: value('queue'),
        priority: value('priority'),
        requesterId: requesterId ?? state.session.userId,
        requestTypeId: typeId || null,
        ...(form && readFields(form, given)),
      });
      code = ticket.code;
    });
    if (!isDone) return;
    for (const name of ['title', 'description']) drafts.set(`${PLACE} ${name}`, '');
    change({ created: undefined });
    goTo(ticketAddress(code));
  };
  return html`
    <a class="back quiet" href=${listAddress(state.filters)}>← Tickets</a>
    <h1 tabindex="-1">New ticket</h1>
    <form class="new" @submit=${submit}>
      ${
        state.forms.length > 0
          ? select({
              label: 'What is it about?',
              value: typeId,
              options: [['', 'Anything else'], ...state.forms.map(({ id, name }) => [id, name])],
              onChange: (id) => set({ typeId: id }),
            })
          : nothing
      }
      ${form?.description ? html`<p class="dim">${form.description}</p>` : nothing}
      <label class="field">
        <span>Title</span>
        <input
          name="title"
          required
          maxlength="500"
          .value=${live(drafts.get(`${PLACE} title`))}
          @input=${({ target }) => {
            drafts.set(`${PLACE} title`, target.value);
            clearTimeout(typing);
            typing = setTimeout(() => void findSimilar(PLACE, target.value), 400);
          }}
        />
      </label>
      ${similar(PLACE, 'These may already answer it')}
      <label class="field">
        <span>Description</span>
        <textarea
          name="description"
          rows="6"
          .value=${live(drafts.get(`${PLACE} description`))}
          @input=${({ target }) => drafts.set(`${PLACE} description`, target.value)}
        ></textarea>
      </label>
      <div class="fields">
        ${
          isRequester()
            ? nothing
            : personField({
                key: 'new-requester',
                label: 'Requester',
                value: requesterId ?? state.session.userId,
                onPick: (id) => set({ requesterId: id }),
              })
        }
        ${select({
          label: 'Queue',
          name: 'queue',
          value: form?.defaultQueueId ?? state.queues[0]?.id,
          options: state.queues.map(({ id, name }) => [id, name]),
        })}
        ${select({
          label: 'Priority',
          name: 'priority',
          value: form?.defaultPriority ?? 'MEDIUM',
          options: Object.entries(PRIORITIES),
        })}
      </div>
      ${form ? formFields(form, given, (all) => set({ given: all })) : nothing} ${refusal(PLACE)}
      <button class="primary" ?disabled=${state.busy.has(PLACE)}>Create ticket</button>
    </form>
  `;
}
