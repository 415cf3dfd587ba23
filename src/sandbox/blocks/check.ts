import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { ViewDefinition } from '../views/view.ts';
import type { Block } from '../workspace/content.ts';
import { id, plainText } from './elements.ts';
import { block, doubledIds, elementsOf } from './layout.ts';

/** What Slack asks for where a value has another type. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** A schema's errors in Slack's words, as in responses of views.open. */
export const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must provide ${TYPES[issue.expected] ?? 'another value'}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'too_big':
      if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
      if (issue.origin === 'array') return `no more than ${String(issue.maximum)} items allowed`;
      return `must be less than ${Number(issue.maximum) + 1}`;
    case 'too_small':
      if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
      if (issue.origin === 'array') return `must provide at least ${String(issue.minimum)} items`;
      return `must be more than ${Number(issue.minimum) - 1}`;
    case 'unrecognized_keys':
      return issue.keys.map((key) => `invalid additional property: ${key}`).join(', ');
    case 'invalid_union':
      return issue.input === undefined ? undefined : `unsupported type: ${typeOf(issue.input)}`;
    default:
      return undefined;
  }
};

/** The errors, each with its path: `[ERROR] must be less than 25 characters [json-pointer:/view/title/text]`. */
export function complaints(schema: z.ZodType, value: unknown, root: string): string[] {
  const parsed = schema.safeParse(value, { error: wording, reportInput: true });
  if (parsed.success) return [];
  return parsed.error.issues.map((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'invalid_type' && issue.input === undefined)
      return complaint(`missing required field: ${path.at(-1) ?? ''}`, root, path.slice(0, -1));
    return complaint(issue.message, root, path);
  });
}

export function complaint(message: string, root: string, path: readonly (string | number)[]): string {
  return `[ERROR] ${message} [json-pointer:${[root, ...path].join('/')}]`;
}

function typeOf(input: unknown): string {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
  return typeof type === 'string' ? type : 'none';
}

const blocks = z.array(block).max(LIMITS.blocksPerMessage);

/**
 * Whether Slack would take these blocks in a message. The messages are in the form of Slack's
 * `response_metadata.messages`.
 */
export function checkBlocks(value: unknown):
  | { ok: true; blocks: Block[] }
  | {
      ok: false;
      error: 'invalid_blocks' | 'invalid_blocks_format' | 'msg_blocks_too_long';
      messages: string[];
    } {
  if (!Array.isArray(value))
    return { ok: false, error: 'invalid_blocks_format', messages: ['blocks is no array'] };
  const messages = complaints(blocks, value, '/blocks');
  if (messages.length > 0) return { ok: false, error: 'invalid_blocks', messages };
  const checked = value as Block[];
  const doubled = doubledIds(checked).map(({ what, index }) =>
    complaint(`\`${what}\` already exists`, '/blocks', [index]),
  );
  if (doubled.length > 0) return { ok: false, error: 'invalid_blocks', messages: doubled };
  if (textLength(checked) > LIMITS.allBlocksChars)
    return { ok: false, error: 'msg_blocks_too_long', messages: [] };
  return { ok: true, blocks: checked };
}

function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]: [string, unknown]) =>
      sum + (typeof part === 'string' ? (key === 'text' ? part.length : 0) : textLength(part)),
    0,
  );
}

const title = plainText(LIMITS.viewTitleChars);
const common = {
  blocks: z.array(block).max(LIMITS.blocksPerView),
  private_metadata: z.string().max(LIMITS.privateMetadataChars).optional(),
  callback_id: id.optional(),
  external_id: id.optional(),
};
const modal = z.strictObject({
  type: z.literal('modal'),
  title,
  submit: title.optional(),
  close: title.optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  ...common,
});
/** Slack's own tutorial publishes a Home with a title; it is shown nowhere. */
const home = z.strictObject({ type: z.literal('home'), title: title.optional(), ...common });

/** Blocks for messages only (docs.slack.dev/reference/block-kit/blocks, "Available in surfaces"). */
const MESSAGES_ONLY = new Set(['markdown', 'file', 'table', 'context_actions', 'task_card', 'plan']);

/** The root of pointers into a view's argument. */
const ROOT = '/view';

export type CheckedView =
  | { ok: true; view: ViewDefinition }
  | { ok: false; error: 'invalid_arguments' | 'view_too_large'; messages: string[] };

/**
 * Whether Slack would take this as a view of that type (docs.slack.dev/reference/views). Complaints are in the form of
 * `response_metadata.messages`.
 */
export function checkView(value: unknown, type: 'modal' | 'home'): CheckedView {
  if (Buffer.byteLength(JSON.stringify(value ?? null)) > LIMITS.viewBytes)
    return { ok: false, error: 'view_too_large', messages: [] };
  const shape = complaints(type === 'modal' ? modal : home, value, ROOT);
  if (shape.length > 0)
    return refused([complaint('failed to match all allowed schemas', ROOT, []), ...shape]);
  const view = value as ViewDefinition;
  const rules = [...misplaced(view), ...doubledIdComplaints(view.blocks), ...focused(view.blocks)];
  return rules.length > 0 ? refused(rules) : { ok: true, view };
}

function refused(messages: string[]): CheckedView {
  return { ok: false, error: 'invalid_arguments', messages };
}

/** Blocks that are not allowed in this kind of view. */
function misplaced({ type, submit, blocks }: ViewDefinition): string[] {
  return blocks.flatMap((one, index) => {
    if (MESSAGES_ONLY.has(one.type))
      return [complaint(`unsupported type: ${one.type}`, ROOT, ['blocks', index, 'type'])];
    if (one.type === 'input' && type === 'modal' && !submit)
      return [
        complaint('must define `submit` to use an `input` block in modals', ROOT, ['blocks', index, 'input']),
      ];
    if (type === 'home' && elementsOf(one).some((element) => element['type'] === 'file_input'))
      return [complaint('unsupported type: file_input', ROOT, ['blocks', index, 'element', 'type'])];
    return [];
  });
}

function doubledIdComplaints(blocks: readonly Block[]): string[] {
  return doubledIds(blocks).map(({ what, index }) =>
    complaint(`\`${what}\` already exists`, ROOT, ['blocks', index]),
  );
}

/** Only one element of a view may have the focus. */
function focused(blocks: readonly Block[]): string[] {
  const asking = blocks.flatMap(elementsOf).filter((element) => element['focus_on_load'] === true);
  return asking.length > 1 ? [complaint('only one element can have `focus_on_load`', ROOT, ['blocks'])] : [];
}
