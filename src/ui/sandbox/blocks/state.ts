import type { BlockElement, ElementState, Option, RichElement, Value } from '../types.ts';

/** The value of an element, read from the app's `initial_…` and from `state.values`, which name it by kind. */
export function givenOf(element: BlockElement, state: ElementState | undefined): Value | undefined {
  const held = state ?? {};
  const has = (key: keyof ElementState) => Object.hasOwn(held, key);
  const pick = <Held extends keyof ElementState, Initial extends keyof BlockElement>(
    key: Held,
    initial: Initial,
  ) => (has(key) ? held[key] : element[initial]);
  switch (element.type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
      return pick('selected_option', 'initial_option')?.value;
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return pick('selected_options', 'initial_options')?.map(({ value }) => value);
    case 'users_select':
      return pick('selected_user', 'initial_user');
    case 'conversations_select':
      return pick('selected_conversation', 'initial_conversation');
    case 'channels_select':
      return pick('selected_channel', 'initial_channel');
    case 'multi_users_select':
      return pick('selected_users', 'initial_users');
    case 'multi_conversations_select':
      return pick('selected_conversations', 'initial_conversations');
    case 'multi_channels_select':
      return pick('selected_channels', 'initial_channels');
    case 'datepicker':
      return pick('selected_date', 'initial_date');
    case 'timepicker':
      return pick('selected_time', 'initial_time');
    case 'datetimepicker':
      return pick('selected_date_time', 'initial_date_time');
    case 'rich_text_input':
      return pick('rich_text_value', 'initial_value');
    case 'file_input':
      return held.files;
    default:
      return pick('value', 'initial_value');
  }
}

/** A value that is one text, id, date or time. */
export function textIn(value: Value | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A value that is a list of ids or of options. */
export function idsIn(value: Value | undefined): string[] {
  return filesIn(value).map(({ id }) => id);
}

/** A value that is a list of files; one that is only known by its id has that for a name. */
export function filesIn(value: Value | undefined): { id: string; name: string }[] {
  if (typeof value !== 'object' || value === null || 'type' in value) return [];
  return value.map((one) => (typeof one === 'string' ? { id: one, name: one } : one));
}

/** The options that an external select holds; their labels are known from nowhere else. */
export function heldOptions(element: BlockElement, state: ElementState | undefined): Option[] {
  const held = state ?? {};
  const one = Object.hasOwn(held, 'selected_option') ? held.selected_option : element.initial_option;
  return held.selected_options ?? element.initial_options ?? (one ? [one] : []);
}

/** The text of a value of a rich text field. */
export function readText(value: Value | undefined): string {
  if (typeof value !== 'object' || value === null || !('type' in value)) return textIn(value);
  return (value.elements ?? []).map(words).join('');
}

function words(element: RichElement): string {
  if (element.elements)
    return element.elements.map(words).join(element.type === 'rich_text_list' ? '\n' : '');
  return element.text ?? (element.user_id ? `<@${element.user_id}>` : (element.name ?? ''));
}
