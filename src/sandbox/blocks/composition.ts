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

/** What is chosen from the start must be one of the options, word for word. */
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
