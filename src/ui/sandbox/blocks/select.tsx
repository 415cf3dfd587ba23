import { Ellipsis } from 'lucide-react';
import { useRef, useState } from 'react';

import { Combobox } from '../../kit/combobox.tsx';
import { nativeButtonLook } from '../../kit/native-button.tsx';
import type { Option } from '../../kit/types.ts';
import { messageOf } from '../notice.ts';
import { channelOption, personOption } from '../options.ts';
import { MenuButton } from '../parts/menu.tsx';
import { safeUrl } from '../safe-url.ts';
import { store } from '../store.ts';
import type { BlockElement, Channel, Option as SlackOption, OptionGroup } from '../types.ts';
import { agreed } from './buttons.tsx';
import { idsIn, textIn } from './state.ts';
import type { ElementProps } from './surface.ts';
import { plain } from './text.tsx';

/** All ten select menus: of static or external options, users, conversations or channels; single or multiple. */
export function SelectElement({ element, tool }: ElementProps) {
  const source = element.type.replace('multi_', '').replace('_select', '');
  const listOptions = OPTIONS[source];
  if (!listOptions) return <ExternalSelect element={element} tool={tool} />;
  return <Select element={element} tool={tool} options={listOptions(element)} says="Nothing matches" />;
}

/** The app is asked for the options that match what is typed. */
function ExternalSelect({ element, tool }: ElementProps) {
  const minLetters = element.min_query_length ?? 3;
  const [found, setFound] = useState<{ options: SlackOption[]; groups: Option[]; says: string }>(NOTHING);
  const asked = useRef(0);
  const held = tool.surface.options(tool.block, element);
  const say = (says: string) => setFound({ ...NOTHING, says });
  const search = async (typed: string) => {
    const mine = (asked.current += 1);
    if (typed.length < minLetters) {
      say(minLetters === 1 ? 'Type to search' : `Type at least ${minLetters} letters`);
      return;
    }
    say('Searching…');
    try {
      const answer = await tool.surface.suggest(tool.block, element, typed);
      const options = answer.option_groups?.flatMap((group) => group.options) ?? answer.options ?? [];
      if (mine === asked.current) setFound({ options, groups: optionsOf(answer), says: 'Nothing matches' });
    } catch (error) {
      if (mine === asked.current) say(messageOf(error));
    }
  };
  const keep = (chosen: readonly Option[]) => {
    const ids = new Set(chosen.map(({ id }) => id));
    const known = new Map([...held, ...found.options].map((option) => [option.value, option]));
    tool.surface.keepOptions(
      tool.block,
      element,
      [...known.values()].filter(({ value }) => ids.has(value)),
    );
  };
  return (
    <Select
      element={element}
      tool={tool}
      options={found.groups}
      held={held.map((option) => optionOf(option))}
      says={found.says}
      onSearch={(typed) => void search(typed)}
      onChoose={keep}
    />
  );
}

const NOTHING = { options: [], groups: [], says: '' };

function Select({
  element,
  tool,
  options,
  held = options,
  says,
  onSearch,
  onChoose,
}: ElementProps & {
  options: readonly Option[];
  /** Those that what is chosen is among. */
  held?: readonly Option[];
  says: string;
  onSearch?: (typed: string) => void;
  onChoose?: (chosen: readonly Option[]) => void;
}) {
  const multiple = element.type.startsWith('multi_');
  const ids = multiple ? idsIn(tool.given) : [textIn(tool.given)].filter(Boolean);
  const isInput = tool.block.type === 'input';
  return (
    <Combobox
      label={tool.label}
      placeholder={element.placeholder?.text ?? (multiple ? 'Choose some' : 'Choose')}
      options={options}
      selected={ids.map((id) => held.find((option) => option.id === id) ?? { id, text: id })}
      multiple={multiple}
      max={element.max_selected_items}
      isClearable={multiple || (isInput && tool.block.optional === true)}
      isWide={isInput}
      isInvalid={tool.aria['aria-invalid'] === true}
      isRequired={tool.aria['aria-required'] === true}
      aria-describedby={tool.aria['aria-describedby']}
      says={says}
      {...(onSearch && { onSearch })}
      onChange={async (chosen) => {
        onChoose?.(chosen);
        if (!(await agreed(element))) return false;
        tool.choose(multiple ? chosen.map(({ id }) => id) : (chosen[0]?.id ?? null));
        return true;
      }}
    />
  );
}

const optionOf = (option: SlackOption, group?: string): Option => ({
  id: option.value,
  text: plain(option.text),
  ...(option.description && { detail: plain(option.description) }),
  ...(group !== undefined && { group }),
});

const optionsOf = ({
  options = [],
  option_groups: groups,
}: {
  options?: SlackOption[];
  option_groups?: OptionGroup[];
}): Option[] =>
  groups
    ? groups.flatMap((group) => group.options.map((option) => optionOf(option, plain(group.label))))
    : options.map((option) => optionOf(option));

const OPTIONS: Partial<Record<string, (element: BlockElement) => Option[]>> = {
  static: optionsOf,
  users: () => store.people.filter(({ deleted }) => !deleted).map(personOption),
  channels: () => store.channels.filter(({ kind }) => kind === 'channel').map(channelOption),
  conversations: (element) =>
    store.channels.filter((channel) => isOffered(channel, element.filter)).map(channelOption),
};

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

/** The `⋯` menu: each choice is sent to the app, and an option with a URL also opens it. */
export function OverflowElement({ element, tool }: ElementProps) {
  const choose = async (option: SlackOption) => {
    if (!(await agreed(element))) return;
    const url = safeUrl(option.url);
    if (url !== undefined) window.open(url, '_blank', 'noreferrer,noopener');
    await tool.tell(option.value);
  };
  return (
    <MenuButton
      label={element.accessibility_label ?? 'More actions'}
      sign={<Ellipsis size={18} aria-hidden />}
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
