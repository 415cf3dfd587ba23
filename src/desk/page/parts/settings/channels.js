import { call, path, Refusal } from '../../api.js';
import { html, nothing, repeat } from '../../lit.js';
import { ifAble, keep, kept, listOr, writeItem } from '../../settings.js';
import { attempt, focusOn, say, state } from '../../state.js';
import { loadWorkspaces, workspace } from '../../workspaces.js';
import { refusal, select } from '../bits.js';
import { switchRow, textField, workspaceChoice } from '../controls.js';
import { emojiActions } from './emoji-actions.js';

const PLACE = 'channels';
const LINK = 'link channels';
const NEW = 'channel-new';

const USES = [
  ['REQUEST', 'Request channel'],
  ['TRIAGE', 'Triage channel'],
];

/** Workspace switches of chat (docs/admin.md, Workspace switches). */
const SWITCHES = [
  ['visibleInChat', 'Use it in chat', 'Off: chat does not open, find or show tickets of this workspace.'],
  [
    'disableChatUserSync',
    'Do not create users',
    'Messages of people who are not users yet appear on tickets under the bot’s user, with their name in front. Off: they become users.',
  ],
];

/** The linked chat channels, and what happens to messages there. */
export const channels = { key: PLACE, title: 'Channels', load, render };

async function load() {
  const [read] = await Promise.all([
    listOr('queues', () => call('GET', 'api/queues?limit=1000')),
    loadWorkspaces(),
  ]);
  keep(PLACE, { queues: read.items.filter(({ deletedAt }) => !deletedAt), why: kept('workspaces').why });
}

const queuesHere = () => kept(PLACE).queues.filter(({ workspaceId }) => workspaceId === workspace().id);
const queueOptions = () => queuesHere().map(({ id, name, prefix }) => [id, `${name} (${prefix})`]);

function render({ why, lacks }) {
  if (why) return html`<p class="dim">${why}</p>`;
  const present = workspace();
  if (!present) return html`<p class="dim">There is no workspace.</p>`;
  const linked = present.chatTriageChannels.filter(({ deletedAt }) => !deletedAt);
  return html`
    ${workspaceChoice()}
    <p class="dim">Chat follows a change within some seconds. Tickets that are open keep their threads.</p>
    ${linked.length === 0 ? html`<p>No channel is linked yet.</p>` : nothing}
    <ul class="channels">
      ${repeat(linked, ({ id }) => id, row)}
    </ul>
    ${lacks?.[LINK] ? nothing : create(linked)} ${refusal(NEW)} ${elsewhere(present)} ${inChat(present)}
    ${emojiActions(present, (part) => write('workspace-emoji', part))}
  `;
}

function row(channel) {
  const { id, channelName, channelId, type, queueId, private: isPrivate, app } = channel;
  const place = placeOf(id);
  const name = channelName ?? channelId;
  // An older record may have a kind or queue that is not offered here.
  const uses = USES.some(([value]) => value === type)
    ? USES
    : [[type ?? '', 'Request channel'], ...USES.slice(1)];
  const queues = queueOptions().some(([value]) => value === queueId)
    ? queueOptions()
    : [[queueId ?? '', 'None'], ...queueOptions()];
  return html`<li>
    <p class="line">
      <strong><span aria-hidden="true">${isPrivate ? '🔒' : '#'}</span>${name}</strong>
      <span class="dim">${[isPrivate && 'private', app?.teamName].filter(Boolean).join(', ')}</span>
      <span class="spring"></span>
      <button class="quiet" aria-label=${`Unlink ${name}`} @click=${() => void unlink(channel)}>
        Unlink
      </button>
    </p>
    <div class="row-form">
      ${select({
        label: `Queue of ${name}`,
        value: queueId,
        options: queues,
        onChange: (queue) => void link(place, { ...channel, queueId: queue }),
      })}
      ${select({
        label: `What ${name} is for`,
        value: type,
        options: uses,
        onChange: (use) => void link(place, { ...channel, type: use }),
      })}
    </div>
    <p class="dim">${effect(channel)}</p>
    ${refusal(place)}
  </li>`;
}

const placeOf = (id) => `channel ${id}`;

/** What happens to a message there, by the bridge's rules (docs/admin.md B1, B7, B15, B26). */
function effect({ type, queueId, private: isPrivate }) {
  const queue = kept(PLACE).queues.find(({ id }) => id === queueId);
  if (!queue) return 'No queue is set: the channel works like one that is not linked.';
  if (type === 'TRIAGE') {
    const which = queue.settings?.sendAllTicketToTriageChannel ? 'Each ticket' : 'Every unassigned ticket';
    const hidden = isPrivate ? '' : ' Private tickets are not shown in public channels.';
    return `${which} of ${queue.name} gets a card here. Its members are the queue’s team; what they write in a ticket’s thread is an internal note.${hidden}`;
  }
  return queue.settings?.autoCreateTickets
    ? `Each first message opens a ticket of ${queue.name}; replies in its thread are on the ticket.`
    : `Mentioning the bot, reacting with 🎫 or the message menu opens a ticket of ${queue.name}; other messages do not.`;
}

/** Replaces a channel's link: a field that the new link does not set is lost. */
function link(
  place,
  { channelId, channelName, type, queueId, workspaceId, contextTeamId, private: isPrivate },
) {
  return attempt(place, async () => {
    const body = {
      channelId,
      channelName,
      type,
      queueId,
      workspaceId,
      teamId: contextTeamId,
      private: isPrivate,
    };
    await ifAble(PLACE, LINK, () => call('PUT', 'api/chat-channels', body));
    say('Saved.');
    await loadWorkspaces();
  });
}

async function unlink({ id, channelName, channelId }) {
  const name = channelName ?? channelId;
  if (!window.confirm(`Unlink ${name}? New messages there will no longer open tickets of its queue.`)) return;
  const isDone = await attempt(placeOf(id), async () => {
    try {
      await call('DELETE', path('chat-channels', id));
    } catch (error) {
      if (error.status !== 404 && error.status !== 405) throw error;
      await loadWorkspaces();
      if (workspace().chatTriageChannels.some((channel) => channel.id === id && !channel.deletedAt))
        throw new Refusal(error.status, 'This service does not let the desk unlink channels.');
    }
    say(`${name} is unlinked.`);
    await loadWorkspaces();
  });
  if (isDone) focusOn('main h1');
}

/** The chat workspaces of the linked channels, `[id, name]`; empty if no record names one. */
function teamsOf(linked) {
  const named = linked.map(({ contextTeamId, app }) => [contextTeamId ?? app?.teamId, app?.teamName]);
  return [...new Map(named.filter(([id]) => id))].map(([id, name]) => [id, name ?? id]);
}

function create(linked) {
  const teams = teamsOf(linked);
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    const { channel, name, queue, use, hidden, team } = form.elements;
    const record = {
      channelId: channel.value.trim(),
      channelName: name.value.trim().replace(/^#/, '') || null,
      type: use.value,
      queueId: queue.value,
      workspaceId: workspace().id,
      contextTeamId: team?.value ?? teams[0]?.[0] ?? null,
      private: hidden.checked,
    };
    void link(NEW, record).then((done) => done && form.reset());
  };
  return html`<h2>Link a channel</h2>
    <p class="dim">
      Easiest in the channel itself: <code>/ticket link ${queuesHere()[0]?.prefix ?? 'HELP'}</code>, with
      <code>triage</code> behind it for the team’s. When you link one here, invite the bot there too. A
      channel’s id stands at the end of its details in chat.
    </p>
    <form @submit=${submit}>
      <div class="row-form">
        ${textField({
          name: 'channel',
          label: 'Id of the channel',
          required: true,
          maxlength: 100,
          pattern: '\\s*[A-Za-z0-9]+\\s*',
          placeholder: 'C0123456789',
          title: 'Letters and digits, as chat shows them',
        })}
        ${textField({ name: 'name', label: 'Its name', maxlength: 100, placeholder: 'it-help' })}
        ${select({ label: 'Queue', name: 'queue', value: queuesHere()[0]?.id, options: queueOptions() })}
        ${select({ label: 'What it is for', name: 'use', value: 'REQUEST', options: USES })}
        ${
          teams.length > 1
            ? select({ label: 'Of which chat workspace', name: 'team', value: teams[0][0], options: teams })
            : nothing
        }
      </div>
      <label class="check">
        <input type="checkbox" name="hidden" />
        It is a private channel
      </label>
      <button class="primary" ?disabled=${state.busy.has(NEW) || queuesHere().length === 0}>
        Link channel
      </button>
    </form>`;
}

const write = (place, part) => writeItem('workspaces', workspace().id, place, part);

function elsewhere({ defaultQueueId }) {
  const place = 'workspace-default';
  return html`<fieldset>
    <legend>Everywhere else</legend>
    ${select({
      label: 'Direct messages, and channels that are not linked, open tickets of',
      value: defaultQueueId,
      options: [['', 'No queue: users see how to link the channel'], ...queueOptions()],
      onChange: (id) => void write(place, { defaultQueueId: id || null }),
    })}
    ${refusal(place)}
  </fieldset>`;
}

function inChat({ settings, chatBotUsername }) {
  const place = 'workspace-bot';
  const submit = (event) => {
    event.preventDefault();
    void write(place, { chatBotUsername: event.target.elements.bot.value.trim() || null });
  };
  return html`<fieldset>
    <legend>In chat</legend>
    ${
      settings
        ? SWITCHES.map(([key, label, help]) =>
            switchRow({
              name: `workspace-${key}`,
              label,
              help,
              on: settings[key],
              onChange: (on) => write(`workspace-${key}`, { settings: { [key]: on } }),
            }),
          )
        : nothing
    }
    <form class="row-form" @submit=${submit}>
      ${textField({
        name: 'bot',
        label: 'Name of the bot',
        value: chatBotUsername,
        maxlength: 80,
        placeholder: 'as the app is called',
      })}
      <button class="plain" ?disabled=${state.busy.has(place)}>Save name</button>
    </form>
    ${refusal(place)}
  </fieldset>`;
}
