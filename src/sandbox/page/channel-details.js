import { api } from './api.js';
import { attempt } from './attempt.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { combobox, narrow } from './parts/combobox.js';
import { confirmDialog, openDialog } from './parts/dialog.js';
import { store } from './store.js';

/** The members of a channel, who can be invited, and leaving or archiving it. */
export function showDetails(channel) {
  const member = channel.members.includes(store.me);
  const title = store.titleOf(channel);
  const opened = openDialog({
    title,
    body: [
      h(
        'p.dim',
        channel.kind === 'group' ? 'Private channel' : 'Public channel',
        ' · ',
        h('code', channel.id),
        channel.connected_teams.length > 0 && ` · Shared with ${channel.connected_teams.join(', ')}`,
      ),
      member && !channel.is_archived && inviter(channel, () => opened.close()),
      h('h3', `${channel.members.length} members`),
      h('ul.member-list', channel.members.map(memberLine)),
    ],
    foot: [
      member &&
        !channel.is_archived &&
        h('button.plain', { onclick: () => leave(channel, opened) }, icon('leave'), 'Leave'),
      h(
        'button.plain.danger',
        { onclick: () => archive(channel, opened) },
        icon('archive'),
        channel.is_archived ? 'Bring back' : 'Archive',
      ),
    ],
  });
}

function memberLine(id) {
  const person = store.person(id);
  return h(
    'li',
    h('img', { src: store.pictureOf(id), alt: '', width: 28, height: 28 }),
    h('span', store.nameOf(id)),
    h(
      'span.dim',
      person?.is_bot ? 'app' : [`@${person?.name ?? ''}`, person?.team_id].filter(Boolean).join(' · '),
    ),
  );
}

function inviter(channel, done) {
  const others = store.people.filter(({ id, deleted }) => !deleted && !channel.members.includes(id));
  if (others.length === 0) return undefined;
  const options = others.map(({ id, name, real_name, is_bot }) => ({
    value: id,
    label: real_name || name,
    hint: is_bot ? 'app' : `@${name}`,
  }));
  return h(
    'div.field',
    h('div.field-label', { 'aria-hidden': 'true' }, 'Add people or apps'),
    combobox({
      label: 'Add people or apps',
      placeholder: 'Who?',
      load: (typed) => narrow([{ options }], typed),
      onchange: async ([one]) => {
        if (one && (await attempt(api.invite({ channel: channel.id, user: store.me, member: one.value }))))
          done();
      },
    }),
  );
}

async function leave(channel, opened) {
  if (await attempt(api.leave({ channel: channel.id, user: store.me }))) opened.close();
}

async function archive(channel, opened) {
  const archived = !channel.is_archived;
  const sure =
    !archived ||
    (await confirmDialog({
      title: `Archive ${store.titleOf(channel)}?`,
      text: 'Nobody can write in it until it is brought back. The app is notified.',
      confirm: 'Archive',
      style: 'danger',
    }));
  if (sure && (await attempt(api.archive({ channel: channel.id, user: store.me, archived })))) opened.close();
}
