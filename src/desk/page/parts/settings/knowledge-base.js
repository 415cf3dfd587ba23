import { call, path } from '../../api.js';
import { html, keyed, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { keepItem, kept } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { ago, moment } from '../../words.js';
import { refusal } from '../bits.js';
import { checks, chosenIn, switchRow, textField } from '../controls.js';

const SECTION = 'knowledge';

/** One knowledge base: what uses it, and its documents. */
export function knowledgeBasePage(base, read) {
  const { id, name, global, system } = base;
  const write = (place, part) =>
    attempt(place, async () => {
      keepItem(SECTION, await call('POST', path('kbs'), { id, name, ...part }));
      say('Saved.');
    });
  const rename = (event) => {
    event.preventDefault();
    void write('kb-name', { name: event.target.elements.name.value.trim() });
  };
  const content = html`
    <p><a class="quiet" href=${settingsAddress(SECTION)}>← All knowledge bases</a></p>
    <h2>${name}</h2>
    <form class="row-form" @submit=${rename}>
      ${textField({ name: 'name', label: 'Name', value: name, required: true, maxlength: 200 })}
      <button class="plain" ?disabled=${state.busy.has('kb-name')}>Save name</button>
    </form>
    ${refusal('kb-name')}
    ${switchRow({
      name: 'kb-global',
      label: 'For every queue',
      help: 'Off: only for the queues chosen here and for AI agents that have it.',
      on: global,
      onChange: (on) => write('kb-global', { global: on }),
    })}
    ${global ? nothing : queuesOf(base, write)} ${documents(id, read)} ${system ? nothing : remove(base)}
  `;
  return keyed(id, content);
}

function queuesOf({ workspaceId, queues }, write) {
  const place = 'kb-queues';
  const submit = (event) => {
    event.preventDefault();
    void write(place, { queueIds: chosenIn(event.target) });
  };
  return html`<form @submit=${submit}>
    <fieldset class="checks">
      <legend>Queues</legend>
      ${checks(
        state.queues.filter((queue) => queue.workspaceId === workspaceId),
        queues.map(({ id }) => id),
      )}
    </fieldset>
    ${refusal(place)}
    <button class="plain" ?disabled=${state.busy.has(place)}>Save queues</button>
  </form>`;
}

function documents(baseId, read) {
  const place = 'kb-documents';
  const { documents: list, documentsOf } = kept(SECTION);
  if (documentsOf !== baseId || !list)
    return html`<p class="dim" aria-busy="true">Reading its documents…</p>`;
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const value = (key) => form.elements[key].value.trim();
    void attempt(place, async () => {
      const body = {
        title: value('title'),
        content: value('content'),
        ...(value('url') && { url: value('url') }),
      };
      await call('POST', path('kbs', baseId, 'documents'), body);
      form.reset();
      say(`${body.title} is added.`);
      await read();
    });
  };
  const removeOne = ({ id, title }) => {
    if (!window.confirm(`Remove “${title}”? AI agents will no longer answer from it.`)) return;
    void attempt(place, async () => {
      await call('DELETE', path('kbs', baseId, 'documents', id));
      say(`${title} is removed.`);
      await read();
    });
  };
  return html`<h3>Documents</h3>
    ${list.why ? html`<p class="dim">${list.why}</p>` : nothing}
    ${list.items.length === 0 && !list.why ? html`<p class="dim">None yet.</p>` : nothing}
    ${list.items.map(
      (each) =>
        html`<details class="document">
          <summary>
            ${each.title}
            <time datetime=${each.updatedAt} title=${moment(each.updatedAt)}>${ago(each.updatedAt)}</time>
          </summary>
          <p class="said">${each.content}</p>
          ${each.url ? html`<p class="dim">${each.url}</p>` : nothing}
          <p>
            <button class="plain danger" aria-label=${`Remove ${each.title}`} @click=${() => removeOne(each)}>
              Remove
            </button>
          </p>
        </details>`,
    )}
    ${refusal(place)}
    <form class="fields" @submit=${submit}>
      <h3>A new document</h3>
      ${textField({ name: 'title', label: 'Title', required: true, maxlength: 500, help: 'Its words count twice in searches.' })}
      ${textField({ name: 'content', label: 'Text', rows: 6, required: true, maxlength: 100_000 })}
      ${textField({ name: 'url', label: 'Address', type: 'url', help: 'A link to the document, shown below the answer.' })}
      <p><button class="plain" ?disabled=${state.busy.has(place)}>Add document</button></p>
    </form>`;
}

function remove({ id, name }) {
  const place = 'kb-remove';
  const press = () => {
    if (!window.confirm(`Remove ${name} with all its documents? This cannot be undone.`)) return;
    void attempt(place, async () => {
      await call('DELETE', path('kbs', id));
      say(`${name} is removed.`);
      goTo(settingsAddress(SECTION));
    });
  };
  return html`<p><button class="plain danger" @click=${press}>Remove knowledge base</button></p>
    ${refusal(place)}`;
}
