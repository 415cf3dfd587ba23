import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Block } from '../workspace/content.ts';
import type { ViewDefinition } from '../views/view.ts';
import { id, plainText } from './composition.ts';
import { block, doubledIds, elementsOf } from './layout.ts';
import { complaint, complaints } from './wording.ts';

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
  const rules = [...misplaced(view), ...doubled(view.blocks), ...focused(view.blocks)];
  return rules.length > 0 ? refused(rules) : { ok: true, view };
}

function refused(messages: string[]): CheckedView {
  return { ok: false, error: 'invalid_arguments', messages };
}

/** What may not stand in this kind of view. */
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

function doubled(blocks: readonly Block[]): string[] {
  return doubledIds(blocks).map(({ what, index }) =>
    complaint(`\`${what}\` already exists`, ROOT, ['blocks', index]),
  );
}

/** One element of a view may ask for the focus. */
function focused(blocks: readonly Block[]): string[] {
  const asking = blocks.flatMap(elementsOf).filter((element) => element['focus_on_load'] === true);
  return asking.length > 1 ? [complaint('only one element can have `focus_on_load`', ROOT, ['blocks'])] : [];
}
