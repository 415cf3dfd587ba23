import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { SwitchButton, SwitchField } from 'react-aria-components/Switch';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as Field, type TextFieldProps } from 'react-aria-components/TextField';

import styles from './field.module.css';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string;
  /** One line that says what it is for. */
  help?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  /** Lines of a longer text. */
  rows?: number;
}

/** A text to type, with its label above, and its help or its error below. */
export function TextField({ label, help, error, placeholder, rows, ...props }: Props) {
  return (
    // What the server refused must be sendable again: browsers hold back a form with an invalid field.
    <Field validationBehavior="aria" {...props} className={styles['field'] ?? ''} isInvalid={Boolean(error)}>
      <Label className={styles['label'] ?? ''}>{label}</Label>
      {rows ? (
        <TextArea className={styles['input'] ?? ''} rows={rows} {...(placeholder && { placeholder })} />
      ) : (
        <Input className={styles['input'] ?? ''} {...(placeholder && { placeholder })} />
      )}
      {help && (
        <Text slot="description" className={styles['help'] ?? ''}>
          {help}
        </Text>
      )}
      <FieldError className={styles['error'] ?? ''}>{error}</FieldError>
    </Field>
  );
}

/** On or off, with a line that says what it does. Written when it is pressed. */
export function Switch({
  label,
  help,
  isSelected,
  onChange,
  isDisabled = false,
}: {
  label: string;
  help?: ReactNode;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
}) {
  return (
    <SwitchField isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <SwitchButton className={styles['switch'] ?? ''}>
        <span className={styles['track']} aria-hidden />
        <span>
          {label}
          {help && <span className={styles['help']}>{help}</span>}
        </span>
      </SwitchButton>
    </SwitchField>
  );
}

/** A label above something else than a text to type: a picker, a group. */
export function Labelled({
  label,
  help,
  children,
}: {
  label: string;
  help?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={styles['field']} role="group" aria-label={label}>
      <span className={styles['label']}>{label}</span>
      {children}
      {help && <span className={styles['help']}>{help}</span>}
    </div>
  );
}
