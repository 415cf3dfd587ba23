/**
 * The value of an element: text, an option's value, an id, a date, a time, Unix seconds, or a list of them.
 * Read from the app's `initial_…` and from `state.values`, which name it by kind.
 */
export function givenOf(element, state) {
  const held = state ?? {};
  const has = (key) => Object.hasOwn(held, key);
  const pick = (key, initial) => (has(key) ? held[key] : element[initial]);
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

/** The options that an external select holds; their labels are known from nowhere else. */
export function heldOptions(element, state) {
  const held = state ?? {};
  const one = Object.hasOwn(held, 'selected_option') ? held.selected_option : element.initial_option;
  return held.selected_options ?? element.initial_options ?? (one ? [one] : []);
}

/** The text of a `rich_text` block. */
export function readText(block) {
  if (!block?.elements) return '';
  const words = (element) =>
    element.elements
      ? element.elements.map(words).join(element.type === 'rich_text_list' ? '\n' : '')
      : (element.text ?? (element.user_id ? `<@${element.user_id}>` : (element.name ?? '')));
  return block.elements.map(words).join('');
}
