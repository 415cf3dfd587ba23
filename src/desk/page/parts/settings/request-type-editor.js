import { call, path } from '../../api.js';
import { drawPreview, put } from '../../form-preview.js';
import { html, nothing } from '../../lit.js';
import { loadChoices } from '../../load.js';
import { loadRequestTypes } from '../../load-request-types.js';
import {
  edited,
  forget,
  isChanged,
  openRequestType,
  settle,
  PLACE as SECTION,
  shownHere,
} from '../../request-type.js';
import { goTo, settingsAddress } from '../../route.js';
import { saveRequestType } from '../../save-request-type.js';
import { attempt, say, state } from '../../state.js';
import { PRIORITIES } from '../../words.js';
import { refusal, select } from '../bits.js';
import { check, line, lines } from './draft-fields.js';
import { formPreview } from './form-preview.js';
import { questions } from './questions.js';

const PLACE = 'request-type';

/** One request type with its questions and the preview of its form; or a collection. */
export function requestTypeEditor() {
  const { draft } = edited();
  const isCollection = draft.type === 'collection';
  const what = isCollection ? 'collection' : 'request type';
  return html`
    <p><a class="quiet" href=${settingsAddress(SECTION)}>← All request types</a></p>
    <h2>${draft.id ? draft.name || 'Without a name' : `New ${what}`}</h2>
    <div class=${isCollection ? nothing : 'with-preview'}>
      <form class="editor" @submit=${save}>
        ${isCollection ? collectionFields(draft) : [about(draft), questions(), more(draft)]} ${refusal(PLACE)}
        <p class="chips editor-buttons">
          <button class="primary" ?disabled=${state.busy.has(PLACE)}>Save</button>
          <button type="button" class="plain" ?disabled=${!isChanged()} @click=${discard}>
            Discard changes
          </button>
          ${
            draft.id
              ? html`<button type="button" class="plain danger" @click=${() => remove(draft, what)}>
                  Remove this ${what}
                </button>`
              : nothing
          }
          <span class="dim"
            >${isChanged() ? 'Not saved yet. Your draft is stored in this tab.' : nothing}</span
          >
        </p>
      </form>
      ${isCollection ? nothing : formPreview()}
    </div>
  `;
}

async function save(event) {
  event.preventDefault();
  let saved;
  const isDone = await attempt(PLACE, async () => {
    saved = await saveRequestType();
  });
  if (!isDone) return;
  const { record, sent } = saved;
  say(`${record.name} is saved.`);
  settle(record, sent);
  // New tickets offer request types from the same records.
  void loadChoices().catch(() => undefined);
  drawPreview();
  if (state.route.item !== record.id) goTo(settingsAddress(SECTION, record.id));
}

async function discard() {
  const { draft, item } = edited();
  if (!window.confirm('Discard your changes since the last save?')) return;
  forget(draft);
  await attempt(PLACE, loadRequestTypes);
  openRequestType(item);
  drawPreview();
}

async function remove(draft, what) {
  if (!window.confirm(`Remove the ${what} “${draft.name}”? Its questions stay in the workspace.`)) return;
  const isDone = await attempt(PLACE, async () => {
    await call('DELETE', path('request-types', draft.id));
    forget(draft);
    await loadRequestTypes();
  });
  if (!isDone) return;
  say(`${draft.name} is removed.`);
  goTo(settingsAddress(SECTION));
}

/** An empty field means none. */
const text = (key) => (typed) => put({ [key]: typed || null });
const lineOf = (label, key, draft, more) => line(label, draft[key], text(key), more);
const linesOf = (label, key, draft) => lines(label, draft[key], text(key));
const checkOf = (label, key, draft) => check(label, draft[key], (is) => put({ [key]: is }));

function choice(label, key, draft, options) {
  return select({
    label,
    value: draft[key] ?? '',
    options: [['', 'None'], ...options],
    onChange: (id) => put({ [key]: id || null }),
  });
}

const nameFields = (draft) =>
  html`<div class="name-fields">
    ${line('Name', draft.name, (name) => put({ name }), { required: true })}
    ${lineOf('Emoji', 'emoji', draft, { maxlength: 40 })}
  </div>`;

/** The collections that can contain it: neither itself nor one inside it. */
function collectionChoice(draft) {
  const items = shownHere();
  const isInside = (record) => {
    for (let at = record; at; at = items.find(({ id }) => id === at.parentId))
      if (at.id === draft.id) return true;
    return false;
  };
  const offered = items.filter((record) => record.type === 'collection' && !(draft.id && isInside(record)));
  return choice(
    'Collection',
    'parentId',
    draft,
    offered.map(({ id, name }) => [id, name]),
  );
}

function collectionFields(draft) {
  return html`${nameFields(draft)} ${linesOf('Description', 'description', draft)} ${collectionChoice(draft)}`;
}

function about(draft) {
  return html`
    ${nameFields(draft)} ${linesOf('Description, shown above the questions', 'description', draft)}
    <div class="fields">
      ${collectionChoice(draft)}
      ${choice(
        'Queue of its tickets',
        'defaultQueueId',
        draft,
        state.queues.map(({ id, name }) => [id, name]),
      )}
      ${choice('Their priority', 'defaultPriority', draft, Object.entries(PRIORITIES))}
      ${choice(
        'Their status',
        'defaultStatusId',
        draft,
        state.statuses.map(({ id, label }) => [id, label]),
      )}
    </div>
    ${tags(draft)}
  `;
}

function tags(draft) {
  if (state.tags.length === 0) return nothing;
  const nameOf = (id) => state.tags.find((tag) => tag.id === id)?.name ?? 'a tag';
  const others = state.tags.filter(({ id }) => !draft.tags.includes(id));
  return html`<div class="field" role="group" aria-label="Tags of its tickets">
    <span>Tags of its tickets</span>
    <span class="chips">
      ${draft.tags.map(
        (id) =>
          html`<span class="chip"
            >${nameOf(id)}<button
              type="button"
              class="quiet"
              aria-label=${`Remove ${nameOf(id)}`}
              @click=${() => put({ tags: draft.tags.filter((each) => each !== id) })}
            >
              ×
            </button></span
          >`,
      )}
    </span>
    ${
      others.length > 0
        ? select({
            label: 'Add a tag',
            value: '',
            options: [['', 'Choose…'], ...others.map(({ id, name }) => [id, name])],
            onChange: (id) => id && put({ tags: [...draft.tags, id] }),
          })
        : nothing
    }
  </div>`;
}

function more(draft) {
  const isPlain = draft.titleTemplate === null && draft.aiExamples === null;
  return html`
    <fieldset class="checks">
      <legend>Where it is offered</legend>
      ${checkOf('Published', 'published', draft)} ${checkOf('Offered as a form', 'formEnabled', draft)}
      ${checkOf('Chosen at first when a form is opened', 'isDefault', draft)}
      ${checkOf('Private: only the requester, the people they name and the team can see it', 'isPrivate', draft)}
    </fieldset>
    <details ?open=${!isPlain}>
      <summary>Title and examples</summary>
      ${lineOf('Title of its tickets, made from the answers', 'titleTemplate', draft)}
      <p class="dim">
        For example <code>New device for {{requester}}: {{device}}</code>. The form then asks for no title.
      </p>
      ${linesOf('Examples of such requests, for automatic classification', 'aiExamples', draft)}
    </details>
  `;
}
