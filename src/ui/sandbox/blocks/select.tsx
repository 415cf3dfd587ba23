import { nativeButtonLook } from '../../kit/native-button.tsx';
import { Icon } from '../icons.tsx';
import { type Choice, type ChoiceGroup, Combobox, narrow } from '../parts/combobox.tsx';
import { MenuButton } from '../parts/menu.tsx';
import { safeUrl } from '../safe-url.ts';
import { store } from '../store.ts';
import type { BlockElement, Channel, Option, OptionGroup } from '../types.ts';
import { agreed } from './buttons.tsx';
import { idsIn, textIn } from './state.ts';
import type { ElementProps, Tool } from './surface.ts';
import { plain } from './text.tsx';

/** All ten select menus: of static or external options, users, conversations or channels; single or multiple. */
export function SelectElement({ element, tool }: ElementProps) {
  const multi = element.type.startsWith('multi_');
  const source = element.type.replace('multi_', '').replace('_select', '');
  const groups = OPTIONS[source]?.(element) ?? [
    { options: tool.surface.options(tool.block, element).map(optionOf) },
  ];
  const known = groups.flatMap(({ options }) => options);
  const values = multi ? idsIn(tool.given) : [textIn(tool.given)].filter(Boolean);
  return (
    <Combobox
      label={tool.label}
      placeholder={element.placeholder?.text ?? (multi ? 'Choose some' : 'Choose')}
      multi={multi}
      max={element.max_selected_items}
      clearable={multi || (tool.block.type === 'input' && tool.block.optional === true)}
      minQuery={source === 'external' ? (element.min_query_length ?? 3) : 0}
      aria={tool.aria}
      chosen={values.map(
        (value) => known.find((option) => option.value === value) ?? { value, label: value },
      )}
      load={(typed) =>
        source === 'external'
          ? loadExternal(tool, element, typed)
          : narrow(groups, typed.replace(/^[@#]/, ''))
      }
      onChange={async (options) => {
        if (source === 'external') tool.surface.keepOptions(tool.block, element, options);
        if (!(await agreed(element))) return false;
        tool.choose(multi ? options.map(({ value }) => value) : (options[0]?.value ?? null));
        return true;
      }}
    />
  );
}

const optionOf = (option: Option): Choice => ({
  value: option.value,
  label: plain(option.text),
  hint: option.description && plain(option.description),
  option,
});

const groupsOf = ({
  options,
  option_groups: groups,
}: {
  options?: Option[];
  option_groups?: OptionGroup[];
}): ChoiceGroup[] =>
  groups
    ? groups.map((group) => ({ label: plain(group.label), options: group.options.map(optionOf) }))
    : [{ options: (options ?? []).map(optionOf) }];

/** The options that the page itself knows, by the kind of menu. */
const OPTIONS: Partial<Record<string, (element: BlockElement) => ChoiceGroup[]>> = {
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
    {
      options: store.channels.filter((channel) => isOffered(channel, element.filter)).map(conversationOption),
    },
  ],
};

const conversationOption = (channel: Channel): Choice => ({
  value: channel.id,
  label: store.titleOf(channel),
});

const KINDS: Partial<Record<string, Channel['kind']>> = {
  public: 'channel',
  private: 'group',
  im: 'im',
  mpim: 'mpim',
};

/** Returns whether the current user can see a conversation and the app's `filter` allows it. */
function isOffered(channel: Channel, filter: BlockElement['filter']): boolean {
  const isVisible = channel.kind === 'channel' || channel.members.includes(store.me);
  const wanted = filter?.include?.map((name) => KINDS[name]);
  const isBot = (id: string) => store.person(id)?.is_bot === true;
  return (
    isVisible &&
    !channel.is_archived &&
    (!wanted || wanted.includes(channel.kind)) &&
    !(filter?.exclude_bot_users && channel.kind === 'im' && channel.members.some(isBot))
  );
}

/** Asks the app for options. */
async function loadExternal(tool: Tool, element: BlockElement, typed: string): Promise<ChoiceGroup[]> {
  return groupsOf(await tool.surface.suggest(tool.block, element, typed));
}

/** The `⋯` menu: each choice is sent to the app, and an option with a URL also opens it. */
export function OverflowElement({ element, tool }: ElementProps) {
  const choose = async (option: Option) => {
    if (!(await agreed(element))) return;
    const url = safeUrl(option.url);
    if (url !== undefined) window.open(url, '_blank', 'noreferrer,noopener');
    await tool.tell(option.value);
  };
  return (
    <MenuButton
      label={element.accessibility_label ?? 'More actions'}
      sign={<Icon name="more" />}
      className={nativeButtonLook({ size: 'icon' })}
      entries={() =>
        (element.options ?? []).map((option, index) => ({
          id: String(index),
          label: plain(option.text),
          detail: option.description && plain(option.description),
          onAction: () => void choose(option),
        }))
      }
    />
  );
}
