import { h } from '../dom.js';
import { drawElement } from './elements.js';
import { plain } from './text.js';

/** An `input` block: label, element, hint, and the error of the client or the app. */
export function drawInput(block, surface) {
  const { element = {} } = block;
  const label = plain(block.label);
  const id = `${surface.id}-${block.block_id}`;
  const error = surface.errors?.[block.block_id];
  const drawn = drawElement(element, block, surface, { tells: block.dispatch_action === true, label });
  const field = drawn.querySelector('input, textarea, [role=group], [role=radiogroup]');
  const about = [error && `${id}-error`, block.hint && `${id}-hint`].filter(Boolean).join(' ');
  if (field && about) field.setAttribute('aria-describedby', about);
  if (field && error) field.setAttribute('aria-invalid', 'true');
  if (field && !block.optional && field.matches('input, textarea'))
    field.setAttribute('aria-required', 'true');
  return h(
    'div',
    { class: error ? 'field wrong' : 'field', data: { block: block.block_id } },
    h(
      'div.field-label',
      { 'aria-hidden': 'true' },
      label,
      block.optional && h('span.field-optional', ' (optional)'),
    ),
    drawn,
    error && h('p.field-error', { id: `${id}-error`, role: 'alert' }, error),
    block.hint && h('p.field-hint', { id: `${id}-hint` }, plain(block.hint)),
  );
}
