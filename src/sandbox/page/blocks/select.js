import { combobox, narrow } from '../parts/combobox.js';
import { menuButton } from '../parts/menu.js';
import { safeUrl } from '../dom.js';
import { store } from '../store.js';
import { agreed } from './buttons.js';
import { plain } from './text.js';

/** All ten select menus: static, external, users, conversations, channels; single or multiple. */
export function select(element, tool) {
  const multi = element.type.startsWith('multi_');
  const source = element.type.replace('multi_', '').replace('_select', '');
  const known = source === 'external' ? tool.surface.options(tool.block, element) : undefined;
  const all = KNOWN[source]?.(element, tool) ?? [{ options: known.map(optionOf) }];
  const flat = all.flatMap(({ options }) => options);
  const values = multi ? (tool.given ?? []) : [tool.given].filter((value) => value !== undefined && value);
  return combobox({
    label: tool.label,
    placeholder: element.placeholder?.text ?? (multi ? 'Choose some' : 'Choose'),
    multi,
    max: element.max_selected_items,
    clearable: multi || (tool.block.type === 'input' && tool.block.optional === true),
    minQuery: source === 'external' ? (element.min_query_length ?? 3) : 0,
    key: tool.key,
    chosen: values.map((value) => flat.find((option) => option.value === value) ?? { value, label: value }),
    load: (typed) =>
      source === 'external' ? external(tool, element, typed) : narrow(all, typed.replace(/^[@#]/, '')),
    onchange: async (options) => {
      if (source === 'external') tool.surface.keepOptions(tool.block, element, options);
      if (!(await agreed(element))) return false;
      tool.choose(multi ? options.map(({ value }) => value) : (options[0]?.value ?? null));
      return true;
    },
  });
}

const optionOf = (option) => ({
  value: option.value,
  label: plain(option.text),
  hint: option.description && plain(option.description),
  option,
});

const groupsOf = ({ options, option_groups: groups }) =>
  groups
    ? groups.map((group) => ({ label: plain(group.label), options: group.options.map(optionOf) }))
    : [{ options: (options ?? []).map(optionOf) }];

const KNOWN = {
  static: groupsOf,
  users: () => [
    {
      options: store.people
        .filter(({ deleted }) => !deleted)
        .map(({ id, name, real_name, is_bot }) => ({
          value: id,
          label: real_name || name,
          hint: is_bot ? 'app' : `@${name}`,
        })),
    },
  ],
  channels: () => [
    { options: store.channels.filter(({ kind }) => kind === 'channel').map(conversationOption) },
  ],
  conversations: (element) => [
    { options: store.channels.filter((channel) => fits(channel, element.filter)).map(conversationOption) },
  ],
};

const conversationOption = (channel) => ({ value: channel.id, label: store.titleOf(channel) });

const KINDS = { public: 'channel', private: 'group', im: 'im', mpim: 'mpim' };

/** Conversations that the acting person can see and the app's `filter` allows. */
function fits(channel, filter) {
  const sees = channel.kind === 'channel' || channel.members.includes(store.me);
  const wanted = filter?.include?.map((name) => KINDS[name]);
  const isBot = (id) => store.person(id)?.is_bot;
  return (
    sees &&
    !channel.is_archived &&
    (!wanted || wanted.includes(channel.kind)) &&
    !(filter?.exclude_bot_users && channel.kind === 'im' && channel.members.some(isBot))
  );
}

async function external(tool, element, typed) {
  return groupsOf(await tool.surface.suggest(tool.block, element, typed));
}

/** The `⋯` menu: each choice is sent to the app, and an option with a URL also opens it. */
export function overflow(element, tool) {
  return menuButton({
    label: element.accessibility_label ?? 'More actions',
    sign: 'more',
    className: 'block-button square',
    key: tool.key,
    items: () =>
      (element.options ?? []).map((option) => ({
        label: plain(option.text),
        hint: option.description && plain(option.description),
        act: async () => {
          if (!(await agreed(element))) return;
          const url = safeUrl(option.url);
          if (url) window.open(url, '_blank', 'noreferrer,noopener');
          tool.tell(option.value);
        },
      })),
  });
}
