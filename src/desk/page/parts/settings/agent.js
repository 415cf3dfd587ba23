import { call, path } from '../../api.js';
import { html, keyed, nothing } from '../../lit.js';
import { goTo, settingsAddress } from '../../route.js';
import { keep, kept, keepItem, ifAble } from '../../settings.js';
import { attempt, say, state } from '../../state.js';
import { workspaces } from '../../workspaces.js';
import { refusal, select } from '../bits.js';
import { checks, chosenIn, switchRow, textField } from '../controls.js';
import { idsOf, saveAgent, whySilent } from './agent-records.js';

const SECTION = 'agents';
const REMOVE = 'remove agents';

const MESSAGES = [
  ['all-messages', 'The ticket, and what its requester writes on it'],
  ['channel-messages', 'Only the message that opens a ticket'],
  ['no-messages', 'Only mentions'],
];

/** Switches by topic, each with its description; docs/agents.md says when an agent answers. */
const ANSWERS = [
  [
    'respondOnMention',
    'Answers mentions',
    'A message with @ and its name, or the bot’s, is always answered.',
  ],
  ['onlyRespondToRequests', 'Ignores small talk', 'A greeting, thanks, or a plain yes or no gets no answer.'],
  [
    'availableInDM',
    'Answers direct messages',
    'Also on private tickets that begin in a direct message to the bot.',
  ],
];
const HANDS_OVER = [
  [
    'autoEscalate',
    'Hands over unanswered requests',
    'The ticket is handed over to the queue’s next assignee.',
  ],
  [
    'negativeFeedbackAutoCreate',
    'Hands over on 👎',
    'It hands the ticket over to the team, even after it was closed.',
  ],
];
const SORTS = [
  ['autoClassify', 'Chooses the request type', 'For new tickets without one, if the text fits.'],
  ['autoTag', 'Sets tags', 'Adds up to three existing tags that match a new ticket’s text.'],
];

const group = (title, content) =>
  html`<fieldset>
    <legend>${title}</legend>
    ${content}
  </fieldset>`;

async function write(agent, place, part) {
  return attempt(place, async () => {
    keepItem(SECTION, await saveAgent(agent, part));
    say('Saved.');
  });
}

/** One agent: what it answers, from which sources, where and how. Each switch is saved when it is pressed. */
export function agentPage(agent, { personalities, kbs, types }) {
  const { id, name, enabled } = agent;
  const toggles = (rows) =>
    rows.map(([key, label, help]) =>
      switchRow({
        name: `agent-${key}`,
        label,
        help,
        on: agent[key],
        onChange: (on) => write(agent, `agent-${key}`, { [key]: on }),
      }),
    );
  const reasons = enabled ? whySilent(agent, state.queues) : [];
  const content = html`
    <p><a class="quiet" href=${settingsAddress(SECTION)}>← All agents</a></p>
    <h2>${name}</h2>
    ${toggles([['enabled', 'Answers', 'Off: it answers nothing anywhere.']])}
    ${
      reasons.length > 0
        ? html`<div class="notice">
            <p>It is on, but answers nothing yet:</p>
            <ul class="bullets">
              ${reasons.map((reason) => html`<li>${reason}</li>`)}
            </ul>
          </div>`
        : nothing
    }
    ${group('Who it is', who(agent, personalities))} ${group('Answers', [messages(agent), toggles(ANSWERS)])}
    ${group('Places', [
      html`<p class="dim">
        In its queues and in its channels; the queue’s automated answers have to be on as well.
      </p>`,
      ties(agent, 'queueIds', 'Queues', queuesOf(agent)),
      ties(agent, 'chatChannelIds', 'Channels', channelsOf(agent)),
    ])}
    ${group('Knowledge', [
      html`<p class="dim">
        It also uses the knowledge bases of the queue, the global ones, and solutions of its tickets.
      </p>`,
      ties(agent, 'kbIds', 'Knowledge bases', kbs.filter(isOf(agent))),
    ])}
    ${group('Without an answer', toggles(HANDS_OVER))}
    ${group('Sorting', [
      toggles(SORTS),
      ties(agent, 'requestTypeIds', 'Request types', types.filter(isOf(agent))),
      html`<p class="dim">It chooses among these; none chosen: among those of the queue.</p>`,
    ])}
    ${remove(agent)}
  `;
  return keyed(id, content);
}

/** Records of the agent's workspace, if the service says which one that is. */
const isOf =
  (agent) =>
  ({ workspaceId }) =>
    !workspaceId || workspaceId === agent.workspaceId;

function channelsOf(agent) {
  const own = workspaces().filter(({ id }) => id === agent.workspaceId);
  const linked = own.flatMap(({ chatTriageChannels }) => chatTriageChannels);
  return linked
    .filter(({ deletedAt }) => !deletedAt)
    .map(({ id, channelName, channelId }) => ({ id, name: `#${channelName ?? channelId}` }));
}

function queuesOf(agent) {
  const isOff = ({ settings }) => settings && !settings.aiEnabled;
  return state.queues.filter(isOf(agent)).map((queue) => ({
    id: queue.id,
    name: isOff(queue) ? `${queue.name} (automated answers are off there)` : queue.name,
  }));
}

function who(agent, personalities) {
  const place = 'agent-names';
  const submit = (event) => {
    event.preventDefault();
    const value = (key) => event.target.elements[key].value.trim();
    const given = {
      name: value('name'),
      description: value('description') || null,
      imageUrl: value('imageUrl') || null,
      personalityId: value('personalityId') || null,
    };
    const changed = Object.entries(given).filter(([key, text]) => text !== (agent[key] ?? null));
    void write(agent, place, Object.fromEntries(changed));
  };
  return html`<form class="fields" @submit=${submit}>
    ${textField({ name: 'name', label: 'Name', value: agent.name, required: true, maxlength: 200 })}
    ${textField({
      name: 'description',
      label: 'What it is for',
      value: agent.description,
      rows: 3,
      help: 'Part of the instructions, where a model writes the answers.',
    })}
    ${textField({ name: 'imageUrl', label: 'Picture', type: 'url', value: agent.imageUrl, help: 'A public https address; shown beside its answers in chat.' })}
    ${select({
      label: 'How it writes',
      name: 'personalityId',
      value: agent.personalityId,
      options: [
        ['', 'Plainly'],
        ...personalities.filter(isOf(agent)).map((each) => [each.id, personalityName(each)]),
      ],
    })}
    ${refusal(place)}
    <p><button class="plain" ?disabled=${state.busy.has(place)}>Save</button></p>
  </form>`;
}

const MOST = 60;

/** Personalities have no names: their persona and tone are shown instead. */
export function personalityName({ persona, tone }) {
  const words = [persona, tone].filter(Boolean).join(', ') || 'Without a description';
  return words.length > MOST ? `${words.slice(0, MOST - 1)}…` : words;
}

function messages(agent) {
  const place = 'agent-respondOnMessage';
  const isKnown = MESSAGES.some(([value]) => value === agent.respondOnMessage);
  return [
    select({
      label: 'Messages',
      value: agent.respondOnMessage,
      options: isKnown ? MESSAGES : [[agent.respondOnMessage, agent.respondOnMessage], ...MESSAGES],
      onChange: (respondOnMessage) => void write(agent, place, { respondOnMessage }),
    }),
    refusal(place),
  ];
}

/** Records that an agent is linked to, out of `records` of `{ id, name }`. */
function ties(agent, field, title, records) {
  const place = `agent-${field}`;
  if (records.length === 0) return html`<p class="dim">${title}: there are none to choose from.</p>`;
  const submit = (event) => {
    event.preventDefault();
    void write(agent, place, { [field]: chosenIn(event.target) });
  };
  return html`<form @submit=${submit}>
    <fieldset class="checks">
      <legend>${title}</legend>
      ${checks(records, idsOf(agent, field))}
    </fieldset>
    ${refusal(place)}
    <button class="plain" ?disabled=${state.busy.has(place)}>Save ${title.toLowerCase()}</button>
  </form>`;
}

function remove({ id, name }) {
  const place = 'agent-remove';
  if (kept(SECTION).lacks?.[REMOVE]) return nothing;
  const press = () => {
    if (!window.confirm(`Remove ${name}? It no longer answers; its messages stay.`)) return;
    void attempt(place, async () => {
      await ifAble(SECTION, REMOVE, () => call('DELETE', path(SECTION, id)));
      keep(SECTION, { items: kept(SECTION).items.filter((agent) => agent.id !== id) });
      say(`${name} is removed.`);
      goTo(settingsAddress(SECTION));
    });
  };
  return html`<p><button class="plain danger" @click=${press}>Remove agent</button></p>
    ${refusal(place)}`;
}
