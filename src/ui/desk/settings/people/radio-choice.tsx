import { RadioButton, RadioField } from 'react-aria-components/RadioGroup';

import styles from './people.module.css';

/** One of a few ways, with what it means. */
export function RadioChoice({ value, label, help }: { value: string; label: string; help: string }) {
  return (
    <RadioField value={value}>
      <RadioButton className={styles['choice'] ?? ''}>
        <span>
          <span>{label}</span>
          <small>{help}</small>
        </span>
      </RadioButton>
    </RadioField>
  );
}
