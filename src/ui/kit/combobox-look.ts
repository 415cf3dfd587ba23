import styles from './combobox.module.css';

/** The classes of a combobox, around its frame. */
export const comboboxLook = ({
  multiple = false,
  isWide = false,
  isInvalid = false,
}: {
  multiple?: boolean;
  isWide?: boolean;
  isInvalid?: boolean;
}): string =>
  [
    styles['combobox'],
    multiple && styles['multiple'],
    isWide && styles['wide'],
    isInvalid && styles['invalid'],
  ]
    .filter(Boolean)
    .join(' ');
