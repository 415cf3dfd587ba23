/**
 * Slack's limits for a view, in UTF-16 units or elements: https://docs.slack.dev/reference/views,
 * …/block-kit/block-elements, …/block-kit/blocks and …/block-kit/composition-objects/option-object.
 */
export const WINDOW = {
  parts: 100,
  text: 3_000,
  title: 150,
  label: 2_000,
  hint: 2_000,
  heading: 150,
  words: 3_000,
  quiet: 2_000,
  choices: 100,
  choiceText: 75,
  choiceId: 150,
  groupLabel: 75,
  placeholder: 150,
  files: 10,
} as const;
