import type { ReactElement, ReactNode } from 'react';

/** One choice of a picker. */
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
  /** The name of the choice: "Assignee". */
  label: string;
  options: readonly Option[];
  selected: readonly string[];
  /** Several can be chosen; the list stays open. */
  multiple?: boolean;
  onChange: (ids: string[]) => void;
  /** Options come from the server for what is typed. */
  onSearch?: (text: string) => void;
  /** The options are not yet those to what is typed: Enter waits for them. */
  isLoading?: boolean;
  /** The button that opens it; a kit `Button`. Without it the list is shown in place, as in a dialog. */
  children?: ReactElement;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  /** Offers to add what was typed. */
  onCreate?: (text: string) => void;
}

export interface ComboboxProps {
  label: string;
  placeholder?: string;
  options: readonly Option[];
  selected: readonly Option[];
  /** Several can be chosen: each stands before the field, and the list stays open. */
  multiple?: boolean;
  /** At most so many of several. */
  max?: number | undefined;
  isClearable?: boolean;
  /** As wide as the form that it is in. */
  isWide?: boolean;
  isInvalid?: boolean;
  isRequired?: boolean;
  'aria-describedby'?: string | undefined;
  /** Has the focus, and its list open, at once. */
  autoFocus?: boolean;
  /** May reject the choice with `false`. */
  onChange: (options: Option[]) => unknown;
  /** Options come from elsewhere for what is typed; asked when the list opens, too. Without it, typing narrows them. */
  onSearch?: (text: string) => void;
  /** Said in place of options, while there are none. */
  says: string;
}

/** One thing to do of a menu. */
export interface MenuEntry {
  id: string;
  label: string;
  sign?: ReactNode;
  /** A second, quieter text. */
  detail?: string | undefined;
  keys?: string;
  /** A line stands above it. */
  isApart?: boolean;
  /** Why it cannot be done: it is shown, and does nothing. */
  whyNot?: string;
  isDangerous?: boolean;
  href?: string;
  onAction?: () => void;
}

/** The content of a toast. */
export interface ToastText {
  kind: 'done' | 'error';
  text: string;
  /** Takes back what was done; offered for ten seconds. */
  undo?: () => unknown;
  /** Where the person can do something about it. */
  link?: { text: string; to: string };
}
