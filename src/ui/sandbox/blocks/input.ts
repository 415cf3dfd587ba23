import { h } from '../dom.ts';
import type { InputBlock } from '../types.ts';
import { drawElement } from './elements.ts';
import type { Surface } from './surface.ts';
import { plain } from './text.ts';

/** An `input` block: label, element, hint, and the error of the client or the app. */
export function drawInput(block: InputBlock, surface: Surface): HTMLElement {
  const { element } = block;
  const label = plain(block.label);
  const { block_id: blockId = '' } = block;
  const id = `${surface.id}-${blockId}`;
  const error = surface.errors?.[blockId];
  const drawn = drawElement(element, block, surface, { tells: block.dispatch_action === true, label });
  const field = drawn.querySelector('input, textarea, [role=group], [role=radiogroup]');
  const about = [error && `${id}-error`, block.hint && `${id}-hint`].filter(Boolean).join(' ');
  if (field && about) field.setAttribute('aria-describedby', about);
  if (field && error) field.setAttribute('aria-invalid', 'true');
  if (field && !block.optional && field.matches('input, textarea'))
    field.setAttribute('aria-required', 'true');
  const node = h(
    'div',
    { class: error ? 'field wrong' : 'field', data: { block: blockId } },
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
  // Whether it is still wrong is known when the form is submitted again.
  const mend = () => {
    node.classList.remove('wrong');
    field?.removeAttribute('aria-invalid');
    node.querySelector('.field-error')?.remove();
  };
  if (error) for (const event of ['input', 'change']) node.addEventListener(event, mend);
  return node;
}
