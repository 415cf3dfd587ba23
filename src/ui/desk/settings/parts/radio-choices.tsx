import { Label } from 'react-aria-components/Label';
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup';

import styles from './radio-choices.module.css';

/** One of a few ways, each with what it means. */
export function RadioChoices<Id extends string>({
  label,
  value,
  options,
  onChange,
  disabledBy,
}: {
  label: string;
  /** Null: none is chosen yet. */
  value: Id | null;
  options: readonly { id: Id; text: string; help: string }[];
  onChange: (id: Id) => void;
  /** The id of the text that says why nothing can be chosen now. */
  disabledBy?: string | undefined;
}) {
  return (
    <RadioGroup
      value={value}
      isDisabled={disabledBy !== undefined}
      {...(disabledBy && { 'aria-describedby': disabledBy })}
      onChange={(chosen) => {
        const option = options.find(({ id }) => id === chosen);
        if (option) onChange(option.id);
      }}
      className={styles['choices'] ?? ''}
    >
      <Label className={styles['legend'] ?? ''}>{label}</Label>
      {options.map(({ id, text, help }) => (
        <RadioField key={id} value={id}>
          <RadioButton className={styles['choice'] ?? ''}>
            <span>
              <span>{text}</span>
              <small>{help}</small>
            </span>
          </RadioButton>
        </RadioField>
      ))}
    </RadioGroup>
  );
}
