import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react';

import styles from './field.module.css';

/**
 * Fields that look as those of `field.tsx` do and are the browser's own: for a page that has to open at once, and for
 * choices that a phone shows in its own way.
 */

interface Frame extends Omit<ComponentProps<'div'>, 'className'> {
  /** Its texts have the ids `${id}-error` and `${id}-help`. */
  id: string;
  label: ReactNode;
  /** The id of the control that the label names; without it, the control has the same name itself. */
  control?: string;
  error?: string | undefined;
  help?: ReactNode;
}

/** What stands around a control: its label above, its error and its help below. */
export function FieldFrame({ id, label, control, error, help, children, ...props }: Frame) {
  return (
    <div {...props} className={styles['field']} data-wrong={error === undefined ? undefined : ''}>
      {control === undefined ? (
        <div className={styles['label']} aria-hidden>
          {label}
        </div>
      ) : (
        <label className={styles['label']} htmlFor={control}>
          {label}
        </label>
      )}
      {children}
      {error !== undefined && (
        <p className={styles['error']} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {help && (
        <p className={styles['help']} id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** Attributes that a control gets from its label and its help. */
export interface LabelledControl {
  id: string;
  'aria-describedby': string | undefined;
}

/** One native control with its label above, and its help below. */
export function NativeField({
  label,
  help,
  children,
}: {
  label: string;
  help?: string;
  children: (control: LabelledControl) => ReactElement;
}) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} control={id} help={help}>
      {children({ id, 'aria-describedby': help === undefined ? undefined : `${id}-help` })}
    </FieldFrame>
  );
}

type Control<Name extends 'input' | 'textarea' | 'select'> = Omit<
  ComponentProps<Name>,
  'className' | 'style'
>;

export function NativeInput(props: Control<'input'>) {
  return <input autoComplete="off" {...props} className={styles['input']} />;
}

export function NativeTextArea(props: Control<'textarea'>) {
  return <textarea {...props} className={styles['input']} />;
}

/** One of several: each has a value and a text. */
export function NativeSelect({
  options,
  ...props
}: Omit<Control<'select'>, 'children'> & {
  options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <select {...props} className={styles['input']}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
