import { FieldFrame } from '../../kit/native-field.tsx';
import type { InputBlock } from '../types.ts';
import { Element } from './elements.tsx';
import type { Surface } from './surface.ts';
import { plain } from './text.tsx';

/** Controls that can be required: groups of choices cannot. */
const REQUIRED = /_input$|_select$|picker$/;

/** An `input` block: label, element, hint, and the error of the client or the app. */
export function InputField({ block, surface }: { block: InputBlock; surface: Surface }) {
  const { element, block_id: blockId = '' } = block;
  const label = plain(block.label);
  const id = `${surface.id}-${blockId}`;
  const error = surface.errors?.[blockId];
  const about = [error && `${id}-error`, block.hint && `${id}-help`].filter(Boolean).join(' ');
  // Whether it is still wrong is known when the form is submitted again.
  const onMend = () => error !== undefined && surface.mend?.(blockId);
  return (
    <FieldFrame
      id={id}
      label={
        <>
          {label}
          {block.optional && <span className="optional"> (optional)</span>}
        </>
      }
      error={error}
      help={block.hint && plain(block.hint)}
      data-block={blockId}
      onInput={onMend}
      onChange={onMend}
    >
      <Element
        element={element}
        block={block}
        surface={surface}
        tells={block.dispatch_action === true}
        label={label}
        aria={{
          ...(about && { 'aria-describedby': about }),
          ...(error !== undefined && { 'aria-invalid': true }),
          ...(!block.optional && REQUIRED.test(element.type) && { 'aria-required': true }),
        }}
      />
    </FieldFrame>
  );
}
