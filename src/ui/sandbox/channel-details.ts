import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';
import { combobox, narrow } from './parts/combobox.ts';
import { confirmDialog, openDialog, type OpenedDialog } from './parts/dialog.ts';
import { store } from './store.ts';
import type { Channel } from './types.ts';

/** The members of a channel, who can be invited, and leaving or archiving it. */
export function showDetails(channel: Channel): void {
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
        channel.is_archived ? 'Unarchive' : 'Archive',
      ),
    ],
  });
}

function memberLine(id: string): HTMLElement {
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

function inviter(channel: Channel, done: () => void): HTMLElement | undefined {
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

async function leave(channel: Channel, opened: OpenedDialog): Promise<void> {
  if (await attempt(api.leave({ channel: channel.id, user: store.me }))) opened.close();
}

async function archive(channel: Channel, opened: OpenedDialog): Promise<void> {
  const archived = !channel.is_archived;
  const sure =
    !archived ||
    (await confirmDialog({
      title: `Archive ${store.titleOf(channel)}?`,
      text: 'Nobody can write in it until it is unarchived. The app is notified.',
      confirm: 'Archive',
      style: 'danger',
    }));
  if (sure && (await attempt(api.archive({ channel: channel.id, user: store.me, archived })))) opened.close();
}
