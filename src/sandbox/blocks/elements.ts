import { z } from 'zod';

import { LIMITS } from '../limits.ts';

/** The parts that blocks and elements are made of (docs.slack.dev/reference/block-kit/composition-objects). */
export const id = z.string().max(255);

export const plainText = (max: number) =>
  z.looseObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });

export const anyText = (max: number) =>
  z.discriminatedUnion('type', [
    plainText(max),
    z.looseObject({
      type: z.literal('mrkdwn'),
      text: z.string().min(1).max(max),
      verbatim: z.boolean().optional(),
    }),
  ]);

export const option = z.looseObject({
  text: anyText(LIMITS.optionTextChars),
  value: z.string().max(LIMITS.optionValueChars).optional(),
  description: anyText(LIMITS.optionTextChars).optional(),
  url: z.string().max(LIMITS.urlChars).optional(),
});
type Option = z.output<typeof option>;

export const optionGroup = z.looseObject({
  label: plainText(LIMITS.optionTextChars),
  options: z.array(option).min(1).max(LIMITS.selectOptions),
});

export const confirm = z.looseObject({
  title: plainText(100).optional(),
  text: anyText(300).optional(),
  confirm: plainText(30).optional(),
  deny: plainText(30).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});

export const dispatchActionConfig = z.looseObject({
  trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
});

interface Chosen {
  options?: Option[] | undefined;
  option_groups?: z.output<typeof optionGroup>[] | undefined;
  initial_option?: Option | undefined;
  initial_options?: Option[] | undefined;
}

/** An initial option must equal one of the options. */
export function checkInitial({ value, issues }: z.core.ParsePayload<Chosen>): void {
  const offered = [
    ...(value.options ?? []),
    ...(value.option_groups ?? []).flatMap(({ options }) => options),
  ];
  const isOffered = (wanted: Option) =>
    offered.some(({ value: own, text }) => own === wanted.value && text.text === wanted.text.text);
  const complain = (path: string[], input: unknown) =>
    issues.push({ code: 'custom', message: 'must match one of the `options`', path, input });
  if (value.initial_option && !isOffered(value.initial_option))
    complain(['initial_option'], value.initial_option);
  if (value.initial_options?.some((wanted) => !isOffered(wanted)) === true)
    complain(['initial_options'], value.initial_options);
}

/** Either `options` or `option_groups`. */
export function checkOptions({ value, issues }: z.core.ParsePayload<Chosen>): void {
  const given = [value.options, value.option_groups].filter((list) => list !== undefined).length;
  const complain = (message: string) => issues.push({ code: 'custom', message, path: [], input: value });
  if (given === 0) complain('missing required field: options');
  if (given === 2) complain('cannot provide both `options` and `option_groups`');
}

/** The elements of blocks, each with its limits (docs.slack.dev/reference/block-kit/block-elements). */
const acts = { action_id: id.optional(), confirm: confirm.optional() };
const focus = { focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainText(LIMITS.placeholderChars).optional() };
const field = { ...acts, ...focus, ...placeholder };
const many = { max_selected_items: z.int().min(1).optional() };
const typed = {
  ...field,
  initial_value: z.string().optional(),
  dispatch_action_config: dispatchActionConfig.optional(),
};
const menu = {
  options: z.array(option).min(1).max(LIMITS.selectOptions).optional(),
  option_groups: z.array(optionGroup).min(1).max(LIMITS.selectOptions).optional(),
};
const choice = (max: number) => ({ options: z.array(option).min(1).max(max) });
const ids = z.array(id);

export const button = z.looseObject({
  type: z.literal('button'),
  ...acts,
  text: plainText(LIMITS.buttonTextChars),
  value: z.string().max(LIMITS.buttonValueChars).optional(),
  url: z.string().max(LIMITS.urlChars).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  accessibility_label: z.string().max(LIMITS.buttonTextChars).optional(),
});

const staticSelect = z
  .looseObject({ type: z.literal('static_select'), ...field, ...menu, initial_option: option.optional() })
  .check(checkOptions, checkInitial);

const multiStaticSelect = z
  .looseObject({
    type: z.literal('multi_static_select'),
    ...field,
    ...many,
    ...menu,
    initial_options: z.array(option).optional(),
  })
  .check(checkOptions, checkInitial);

const checkboxes = z
  .looseObject({
    type: z.literal('checkboxes'),
    ...acts,
    ...focus,
    ...choice(LIMITS.choiceOptions),
    initial_options: z.array(option).min(1).optional(),
  })
  .check(checkInitial);

const radioButtons = z
  .looseObject({
    type: z.literal('radio_buttons'),
    ...acts,
    ...focus,
    ...choice(LIMITS.choiceOptions),
    initial_option: option.optional(),
  })
  .check(checkInitial);

const overflow = z.looseObject({ type: z.literal('overflow'), ...acts, ...choice(LIMITS.overflowOptions) });

const SELECTS = [
  staticSelect,
  multiStaticSelect,
  z.looseObject({
    type: z.literal('external_select'),
    ...field,
    initial_option: option.optional(),
    min_query_length: z.int().min(0).optional(),
  }),
  z.looseObject({
    type: z.literal('multi_external_select'),
    ...field,
    ...many,
    initial_options: z.array(option).optional(),
    min_query_length: z.int().min(0).optional(),
  }),
  z.looseObject({ type: z.literal('users_select'), ...field, initial_user: id.optional() }),
  z.looseObject({ type: z.literal('multi_users_select'), ...field, ...many, initial_users: ids.optional() }),
  z.looseObject({ type: z.literal('conversations_select'), ...field, initial_conversation: id.optional() }),
  z.looseObject({
    type: z.literal('multi_conversations_select'),
    ...field,
    ...many,
    initial_conversations: ids.optional(),
  }),
  z.looseObject({ type: z.literal('channels_select'), ...field, initial_channel: id.optional() }),
  z.looseObject({
    type: z.literal('multi_channels_select'),
    ...field,
    ...many,
    initial_channels: ids.optional(),
  }),
] as const;

const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date `YYYY-MM-DD`');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time `HH:mm`');
const datepicker = z.looseObject({ type: z.literal('datepicker'), ...field, initial_date: date.optional() });
const timepicker = z.looseObject({
  type: z.literal('timepicker'),
  ...field,
  initial_time: time.optional(),
  timezone: z.string().optional(),
});
const datetimepicker = z.looseObject({
  type: z.literal('datetimepicker'),
  ...acts,
  ...focus,
  initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
});

const richTextInput = z.looseObject({
  type: z.literal('rich_text_input'),
  ...field,
  initial_value: z.looseObject({ type: z.literal('rich_text') }).optional(),
  dispatch_action_config: dispatchActionConfig.optional(),
});

const TEXT_FIELDS = [
  z.looseObject({
    type: z.literal('plain_text_input'),
    ...typed,
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(LIMITS.inputChars).optional(),
    max_length: z.int().min(1).max(LIMITS.inputChars).optional(),
  }),
  z.looseObject({ type: z.literal('email_text_input'), ...typed }),
  z.looseObject({ type: z.literal('url_text_input'), ...typed }),
  z.looseObject({
    type: z.literal('number_input'),
    ...typed,
    is_decimal_allowed: z.boolean(),
    min_value: z.string().optional(),
    max_value: z.string().optional(),
  }),
  richTextInput,
] as const;

const fileInput = z.looseObject({
  type: z.literal('file_input'),
  action_id: id.optional(),
  filetypes: z.array(z.string()).optional(),
  max_files: z.int().min(1).max(LIMITS.inputFiles).optional(),
});

const workflowButton = z.looseObject({ type: z.literal('workflow_button'), action_id: id.optional() });

export const image = z.looseObject({
  type: z.literal('image'),
  alt_text: z.string().max(LIMITS.altTextChars),
  image_url: z.string().max(LIMITS.urlChars).optional(),
});

/** As a section's accessory. */
export const accessory = z.discriminatedUnion('type', [
  button,
  ...SELECTS,
  checkboxes,
  radioButtons,
  overflow,
  datepicker,
  timepicker,
  workflowButton,
  image,
]);

/** In an actions block. */
export const actionElement = z.discriminatedUnion('type', [
  button,
  ...SELECTS,
  checkboxes,
  radioButtons,
  overflow,
  datepicker,
  timepicker,
  datetimepicker,
  richTextInput,
  workflowButton,
]);

/** In an input block. */
export const inputElement = z.discriminatedUnion('type', [
  ...SELECTS,
  ...TEXT_FIELDS,
  checkboxes,
  radioButtons,
  datepicker,
  timepicker,
  datetimepicker,
  fileInput,
]);
