import { Plus, X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';

import { Button, IconButton } from '../../../kit/button.tsx';
import { Labelled } from '../../../kit/field.tsx';
import { type Option, Picker } from '../../../kit/picker.tsx';
import { useSavedValue } from '../../kit/use-saved.ts';
import styles from './fields.module.css';
import { SavedSign } from './fields.tsx';

/** Several of a list: those that are chosen as chips, the others behind a button. */
export function SeveralOf({
  label,
  help,
  add,
  options,
  selected,
  onChange,
}: {
  label: string;
  help?: string;
  /** The button's text: "Add tag". */
  add: string;
  options: readonly Option[];
  selected: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  const t = useTranslations('settings');
  const byId = new Map(options.map((option) => [option.id, option]));
  return (
    <Labelled label={label} help={help}>
      <div className={styles['chips']}>
        {selected.map((id) => {
          const name = byId.get(id)?.text;
          // Those that are not offered here stay, unseen.
          if (name === undefined) return null;
          return (
            <span key={id} className={styles['chip']}>
              {byId.get(id)?.sign && <span aria-hidden>{byId.get(id)?.sign}</span>}
              <span>{name}</span>
              <IconButton
                label={t('removeName', { name })}
                onPress={() => onChange(selected.filter((each) => each !== id))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </span>
          );
        })}
        <Picker
          label={add}
          multiple
          options={options}
          selected={selected}
          onChange={(ids) =>
            onChange([...selected.filter((id) => !byId.has(id)), ...ids.filter((id) => byId.has(id))])
          }
        >
          <Button size="small">
            <Plus size={14} aria-hidden /> {add}
          </Button>
        </Picker>
      </div>
    </Labelled>
  );
}

/** Several of a list, written when one is added or removed. */
export function SavedSeveral({
  value,
  save,
  ...props
}: Omit<ComponentProps<typeof SeveralOf>, 'selected' | 'onChange'> & {
  value: readonly string[];
  save: (ids: readonly string[]) => Promise<unknown>;
}) {
  const { shown, saved, choose } = useSavedValue(value, save);
  return (
    <div className={styles['saved']}>
      <SeveralOf {...props} selected={shown} onChange={(ids) => void choose(ids)} />
      <SavedSign of={saved} />
    </div>
  );
}
