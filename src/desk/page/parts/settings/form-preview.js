import { answer } from '../../form-preview.js';
import { html, nothing, repeat } from '../../lit.js';
import { edited } from '../../request-type.js';

/** The form's dialog in chat, drawn from the same blocks as the bridge's. */
export function formPreview() {
  const { preview, why, draft } = edited();
  return html`<section class="form-preview" aria-labelledby="preview-title">
    <h2 id="preview-title">As users see it in chat</h2>
    <p class="dim">
      ${
        draft.published && draft.formEnabled
          ? 'Try it: questions that hang on an answer come with it. Nothing is sent.'
          : 'It is not offered in chat until it is published and offered as a form.'
      }
    </p>
    ${why ? html`<p class="refusal">The preview could not be drawn: ${why}</p>` : nothing}
    ${preview ? chatWindow(preview) : html`<p class="dim" aria-busy="true">One moment…</p>`}
  </section>`;
}

function chatWindow({ window: { title, submit, close }, parts, isTooLong }) {
  if (isTooLong)
    return html`<p class="refusal">
      A form in Slack holds at most 97 questions. Users who choose this request type see an error instead of
      the form.
    </p>`;
  return html`<div class="chat-window" role="group" aria-label=${title}>
    <p class="chat-title">${title}</p>
    <div class="chat-parts">
      ${repeat(parts, (part, index) => part.asks ?? `${part.kind} ${index}`, drawPart)}
    </div>
    <p class="chat-buttons" aria-hidden="true"><span>${close}</span><span>${submit}</span></p>
  </div>`;
}

function drawPart(part) {
  switch (part.kind) {
    case 'quiet':
      return html`<p class="chat-quiet" data-part="quiet">${part.text}</p>`;
    case 'heading':
      return html`<p class="chat-heading" data-part="heading">${part.text}</p>`;
    case 'words':
      return html`<p class="chat-words" data-part="words">${part.text}</p>`;
    case 'divider':
      return html`<hr data-part="divider" />`;
    default:
      return question(part);
  }
}

/** A group of checkboxes has its own legend; other inputs have a label. */
function question(part) {
  const { asks, label, hint, required, input } = part;
  const id = `preview-${asks}`;
  const words = html`${label}${required ? nothing : html` <span class="dim">(optional)</span>`}`;
  const isGroup =
    input.kind === 'yes-no' || (input.kind === 'menu' && input.several) || input.kind === 'files';
  const about = hint ? `${id}-hint` : nothing;
  const drawn = control(part, { id, about });
  return html`<div
    class="chat-question"
    data-part="question"
    data-input=${input.kind}
    data-several=${input.several ?? false}
  >
    ${
      isGroup
        ? html`<fieldset aria-describedby=${about}>
            <legend class="chat-label">${words}</legend>
            ${drawn}
          </fieldset>`
        : html`<label class="chat-label" for=${id}>${words}</label>${drawn}`
    }
    ${hint ? html`<p class="chat-hint" id=${`${id}-hint`}>${hint}</p>` : nothing}
  </div>`;
}

const TYPES = {
  email: 'email',
  url: 'url',
  number: 'number',
  date: 'date',
  time: 'time',
  moment: 'datetime-local',
};

function control(part, { id, about }) {
  const { asks, required, input } = part;
  // Also without dependent questions: a preview with some may be in progress.
  const tell = ({ target }) => answer(asks, target.value);
  const line = (type, placeholder) =>
    html`<input
      id=${id}
      type=${type}
      aria-describedby=${about}
      aria-required=${required}
      placeholder=${placeholder ?? nothing}
      min=${input.kind === 'number' ? (input.min ?? nothing) : nothing}
      max=${input.kind === 'number' ? (input.max ?? nothing) : nothing}
      step=${input.kind === 'number' ? (input.decimals ? 'any' : '1') : nothing}
      maxlength=${input.kind === 'text' ? input.max : nothing}
      @input=${tell}
    />`;
  switch (input.kind) {
    case 'text':
      return input.lines
        ? html`<textarea
            id=${id}
            rows="3"
            aria-describedby=${about}
            aria-required=${required}
            maxlength=${input.max}
            placeholder=${input.placeholder ?? nothing}
            @input=${tell}
          ></textarea>`
        : line('text', input.placeholder);
    case 'yes-no':
      return input.choices.map(
        (choice) =>
          html`<label class="check"
            ><input type="radio" name=${id} value=${choice.id} @change=${tell} />${choice.label}</label
          >`,
      );
    case 'menu':
      if (asks === 'type') return kindMenu(id, input);
      return input.several ? severalChoices(part, id) : oneChoice(part, { id, about, tell });
    case 'people':
      return line('text', input.placeholder ?? (input.several ? 'People of chat' : 'A chat user'));
    case 'files':
      return html`<p class="chat-files">
        <span class="plain" aria-hidden="true">Add files</span> <span class="dim">up to ${input.max}</span>
      </p>`;
    default:
      return line(TYPES[input.kind], input.placeholder);
  }
}

const wordsOf = ({ label, description }) => (description ? `${label} – ${description}` : label);

const options = (groups) =>
  groups.map(({ label, choices }) => {
    const each = choices.map((choice) => html`<option value=${choice.id}>${wordsOf(choice)}</option>`);
    return label === null ? each : html`<optgroup label=${label}>${each}</optgroup>`;
  });

/** The menu of request types is disabled: the preview shows the edited one. */
function kindMenu(id, { groups, placeholder }) {
  const chosen = groups
    .flatMap(({ choices }) => choices)
    .find((choice) => choice.id === (edited().draft.id ?? 'new'));
  return html`<select id=${id} disabled>
    <option>${chosen?.label ?? placeholder}</option>
  </select>`;
}

function oneChoice({ required, input }, { id, about, tell }) {
  return html`<select id=${id} aria-describedby=${about} aria-required=${required} @change=${tell}>
    <option value="">${input.placeholder ?? 'Choose'}</option>
    ${options(input.groups)}
  </select>`;
}

function severalChoices({ asks, input }, id) {
  const held = [edited().answers[asks] ?? []].flat();
  const choices = input.groups.flatMap((group) => group.choices);
  const names = choices.filter((choice) => held.includes(choice.id)).map(({ label }) => label);
  const put = ({ target }) =>
    answer(asks, target.checked ? [...held, target.value] : held.filter((each) => each !== target.value));
  return html`<details class="chat-menu">
    <summary>${names.join(', ') || (input.placeholder ?? 'Choose some')}</summary>
    ${choices.map(
      (choice) =>
        html`<label class="check"
          ><input
            type="checkbox"
            name=${id}
            value=${choice.id}
            .checked=${held.includes(choice.id)}
            @change=${put}
          />${wordsOf(choice)}</label
        >`,
    )}
  </details>`;
}
