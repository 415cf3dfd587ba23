import { lazy, type ReactElement, type ReactNode, Suspense } from 'react';

import { Opener } from './opener.tsx';

const Choices = lazy(() => import('./choices.tsx').then(({ Choices }) => ({ default: Choices })));
const Panel = lazy(() => import('./panel.tsx').then(({ Panel }) => ({ default: Panel })));

export interface Option {
  /** '' is a value too: nobody, none. */
  id: string;
  text: string;
  /** A sign or picture before the text. */
  sign?: ReactNode;
  /** A second, quieter text. */
  detail?: string;
  group?: string;
}

export interface PickerProps {
  /** What is chosen: "Assignee". */
  label: string;
  options: readonly Option[];
  selected: readonly string[];
  /** Several can be chosen; the list stays open. */
  multiple?: boolean;
  onChange: (ids: string[]) => void;
  /** Options come from the server for what is typed. */
  onSearch?: (text: string) => void;
  isLoading?: boolean;
  /** The button that opens it; a kit `Button`. Without it the list is shown in place, as in a dialog. */
  children?: ReactElement;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  /** Offers to add what was typed. */
  onCreate?: (text: string) => void;
}

/** A list to choose from, with a search field: arrows, Enter, Escape. */
export function Picker({ children, isOpen, onOpenChange, ...props }: PickerProps) {
  if (!children)
    return (
      <Suspense>
        <Choices {...props} close={() => onOpenChange?.(false)} />
      </Suspense>
    );
  return (
    <Opener button={children} opens="dialog" isOpen={isOpen} onOpenChange={onOpenChange}>
      {({ trigger, close }) => (
        <Panel label={props.label} trigger={trigger} onClose={close}>
          <Choices {...props} close={close} />
        </Panel>
      )}
    </Opener>
  );
}
