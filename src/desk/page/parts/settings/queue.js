import { html, keyed, nothing } from '../../lit.js';
import { loadChoices, loadPeople } from '../../load.js';
import { settingsAddress } from '../../route.js';
import { writeItem } from '../../settings.js';
import { focusOn, state } from '../../state.js';
import { nameOf } from '../../words.js';
import { workspaces } from '../../workspaces.js';
import { refusal, select } from '../bits.js';
import { checks, chosenIn, switchRow, textField } from '../controls.js';
import { personField } from '../person-field.js';
import { QUEUE_SWITCHES, RESPOND_ON_MESSAGE } from './queue-switches.js';
import { targets } from './targets.js';

const SECTION = 'queues';

/** One queue: its names, people, channels and switches; each switch is saved when it is pressed. */
export function queuePage(queue) {
  const { id, name, emoji, settings } = queue;
  const set = (place, part) => write(id, place, { settings: part });
  const switches = (rows) =>
    rows.map(([key, label, help]) =>
      switchRow({
        name: `queue-${key}`,
        label,
        help,
        on: settings[key],
        onChange: (on) => set(`queue-${key}`, { [key]: on }),
      }),
    );
  const content = html`
    <p><a class="quiet" href=${settingsAddress(SECTION)}>← All queues</a></p>
    <h2>${emoji ? html`<span aria-hidden="true">${emoji}</span> ` : nothing}${name}</h2>
    ${names(queue)} ${channels(queue)} ${turns(queue)}
    ${
      settings
        ? html`
            ${QUEUE_SWITCHES.map(({ title, switches: rows }) =>
              group(title, [
                switches(rows),
                title === 'Automated answers' ? answered(settings, set) : nothing,
              ]),
            )}
            ${requestTypes(queue)}
            ${group(
              'Response times',
              targets(settings.targets, (place, given) => set(place, { targets: given })),
            )}
          `
        : [
            requestTypes(queue),
            html`<p class="dim">This service does not show the switches of its queues here.</p>`,
          ]
    }
  `;
  return keyed(id, content);
}

const group = (title, content) =>
  html`<fieldset>
    <legend>${title}</legend>
    ${content}
  </fieldset>`;

/** Refreshes the queues in selects and the names of their people. */
const write = (id, place, part) =>
  writeItem(SECTION, id, place, part, ({ autoAssignees }) =>
    Promise.all([loadChoices(), loadPeople(autoAssignees.map((person) => person.id))]),
  );

function names({ id, name, prefix, emoji }) {
  const place = 'queue-names';
  const submit = (event) => {
    event.preventDefault();
    const fields = event.target.elements;
    const value = (key) => fields[key].value.trim();
    const given = { name: value('name'), prefix: value('prefix').toUpperCase(), emoji: value('emoji') };
    const present = { name, prefix, emoji: emoji ?? '' };
    const changed = Object.entries(given).filter(([key, text]) => text !== present[key]);
    void write(id, place, Object.fromEntries(changed));
  };
  return html`<form @submit=${submit}>
    <div class="row-form">
      ${textField({ name: 'name', label: 'Name', value: name, required: true, maxlength: 200 })}
      ${textField({
        name: 'prefix',
        label: 'Prefix of its tickets',
        value: prefix,
        required: true,
        maxlength: 10,
        pattern: '\\s*[A-Za-z][A-Za-z0-9]*\\s*',
        title: 'A letter, then letters and digits, ten at most',
      })}
      ${textField({ name: 'emoji', label: 'Emoji', value: emoji, maxlength: 40 })}
      <button class="plain" ?disabled=${state.busy.has(place)}>Save names</button>
    </div>
    <p class="dim">Existing references keep working after you change the prefix.</p>
    ${refusal(place)}
  </form>`;
}

/** Who gets the next new ticket (`autoAssignees`). */
function turns({ id, autoAssignees }) {
  const place = 'queue-turns';
  const ids = autoAssignees.map((person) => person.id);
  const save = (people) => void write(id, place, { autoAssignees: people.join(',') });
  return group('Assignees of new tickets (round robin)', [
    html`<p class="dim">They are also members of the queue’s team. If empty, new tickets stay unassigned.</p>
      <p class="chips">
        ${ids.map(
          (each) =>
            html`<span class="chip">
              ${nameOf(each)}<button
                class="quiet"
                aria-label=${`Take ${nameOf(each)} out`}
                @click=${() => {
                  save(ids.filter((other) => other !== each));
                  focusOn('[list="people-turns"]');
                }}
              >
                ×
              </button>
            </span>`,
        )}
      </p>`,
    personField({
      key: 'turns',
      label: 'Add a person',
      value: null,
      placeholder: 'First or last name',
      onPick: (person, field) => {
        field.value = '';
        if (person && !ids.includes(person)) save([...ids, person]);
      },
    }),
    refusal(place),
  ]);
}

function requestTypes({ id, requestTypes: present }) {
  const place = 'queue-types';
  if (state.forms.length === 0) return nothing;
  const ids = present.map((type) => type.id);
  const submit = (event) => {
    event.preventDefault();
    // Assigned request types that are not offered here stay.
    const others = ids.filter((each) => !state.forms.some((type) => type.id === each));
    const wanted = [...others, ...chosenIn(event.target)];
    void write(id, place, { requestTypes: wanted.map((each) => ({ id: each })) });
  };
  return group(
    'Request types',
    html`<form @submit=${submit}>
      <p class="dim">The request types of this queue. Automatic classification chooses among them.</p>
      ${checks(state.forms, ids)} ${refusal(place)}
      <button class="plain" ?disabled=${state.busy.has(place)}>Save request types</button>
    </form>`,
  );
}

function channels({ id }) {
  const linked = workspaces()
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .filter(({ queueId, deletedAt }) => queueId === id && !deletedAt);
  return group('Channels', [
    linked.length === 0 ? html`<p class="dim">No channel is linked to this queue.</p>` : nothing,
    linked.map(
      ({ channelName, channelId, type }) =>
        html`<p>
          #${channelName ?? channelId}
          <span class="dim">${type === 'TRIAGE' ? 'triage channel' : 'request channel'}</span>
        </p>`,
    ),
    html`<p><a href=${settingsAddress('channels')}>Change channels</a></p>`,
  ]);
}

function answered({ respondOnMessage }, set) {
  const place = 'queue-respondOnMessage';
  const isKnown = RESPOND_ON_MESSAGE.some(([value]) => value === respondOnMessage);
  return [
    select({
      label: 'What agents answer',
      name: place,
      value: respondOnMessage,
      options: isKnown
        ? RESPOND_ON_MESSAGE
        : [[respondOnMessage ?? '', respondOnMessage ?? 'As the agent says'], ...RESPOND_ON_MESSAGE],
      onChange: (value) => set(place, { respondOnMessage: value }),
    }),
    refusal(place),
  ];
}
