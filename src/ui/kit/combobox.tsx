import { ChevronDown } from 'lucide-react';
import { Suspense } from 'react';

import { comboboxLook } from './combobox-look.ts';
import styles from './combobox.module.css';
import { Late } from './late.tsx';
import { part } from './part.ts';
import type { ComboboxProps } from './types.ts';

export type { ComboboxProps } from './types.ts';

const Field = part(() => import('./combobox-field.tsx').then(({ ComboboxField }) => ComboboxField));

/**
 * A field that chooses from a list, loaded when the first one is drawn; until then its frame stands there. Only where
 * it has been opened, to have the focus, the keys are already meant for it.
 */
export function Combobox(props: ComboboxProps) {
  if (props.autoFocus)
    return (
      <Late meanwhile={<Coming {...props} />}>
        <Field {...props} />
      </Late>
    );
  return (
    <Suspense fallback={<Coming {...props} />}>
      <Field {...props} />
    </Suspense>
  );
}

function Coming({ placeholder, selected, multiple = false, isWide = false }: ComboboxProps) {
  return (
    <span className={comboboxLook({ multiple, isWide })}>
      <span className={styles['box']}>
        <span className={styles['input']}>{selected[0]?.text ?? placeholder}</span>
        <ChevronDown size={16} aria-hidden />
      </span>
    </span>
  );
}
