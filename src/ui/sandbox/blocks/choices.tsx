import { useId } from 'react';

import type { BlockElement, Value } from '../types.ts';
import { whenAgreed } from './buttons.tsx';
import { idsIn, textIn } from './state.ts';
import type { ElementProps, Tool } from './surface.ts';
import { Words } from './text.tsx';

export function CheckboxesElement({ element, tool }: ElementProps) {
  const chosen = new Set(idsIn(tool.given));
  const next = (value: string) => {
    const isChosen = (each: string) => chosen.has(each) !== (each === value);
    return (element.options ?? []).map((option) => option.value).filter(isChosen);
  };
  return <Choices element={element} tool={tool} type="checkbox" chosen={chosen} next={next} />;
}

export function RadioElement({ element, tool }: ElementProps) {
  const chosen = new Set([textIn(tool.given)]);
  return <Choices element={element} tool={tool} type="radio" chosen={chosen} next={(value) => value} />;
}

function Choices({
  element,
  tool,
  type,
  chosen,
  next,
}: {
  element: BlockElement;
  tool: Tool;
  type: 'checkbox' | 'radio';
  chosen: ReadonlySet<string>;
  next: (value: string) => Value;
}) {
  const name = useId();
  return (
    <span
      className="choices"
      role={type === 'radio' ? 'radiogroup' : 'group'}
      aria-label={tool.label}
      {...tool.aria}
    >
      {(element.options ?? []).map((option) => (
        <label key={option.value} className="choice">
          <input
            type={type}
            name={name}
            value={option.value}
            checked={chosen.has(option.value)}
            onChange={() => whenAgreed(element, () => tool.choose(next(option.value)))}
          />
          <span>
            <Words text={option.text} />
            {option.description && (
              <small>
                <Words text={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </span>
  );
}
