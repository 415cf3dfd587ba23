import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../../api/people.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Away } from '../../kit/away.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Labelled } from '../../../kit/field.tsx';
import { PersonPicker } from '../../kit/person-picker.tsx';
import styles from './fields.module.css';
import { SavedSign } from './fields.tsx';
import { useSaved } from '../../kit/use-saved.ts';

/** Several people by name and picture; written when one is added or removed. */
export function SavedPeople({
  label,
  help,
  ids: present,
  only = 'all',
  save,
}: {
  label: string;
  help?: string;
  ids: readonly string[];
  only?: 'all' | 'team';
  save: (ids: string[]) => Promise<unknown>;
}) {
  const t = useTranslations('settings');
  const saved = useSaved();
  const [pending, setPending] = useState<string[]>();
  const ids = pending ?? present;
  const people = usePeople(ids);
  const change = async (next: string[]) => {
    setPending(next);
    await saved.save(() => save(next));
    setPending(undefined);
  };
  return (
    <div className={styles['saved']}>
      <Labelled label={label} help={help}>
        <div className={styles['chips']}>
          {ids.map((id) => {
            const name = nameOf(people.get(id));
            return (
              <span key={id} className={styles['chip']}>
                <Avatar person={people.get(id)} />
                {name}
                <Away person={people.get(id)} />
                <IconButton
                  label={t('removeName', { name })}
                  onPress={() => void change(ids.filter((each) => each !== id))}
                >
                  <X size={14} aria-hidden />
                </IconButton>
              </span>
            );
          })}
          <PersonPicker
            label={t('addPerson')}
            selected={ids}
            only={only}
            multiple
            onChange={(next) => void change(next)}
          >
            <Button size="small">
              <Plus size={14} aria-hidden /> {t('addPerson')}
            </Button>
          </PersonPicker>
        </div>
      </Labelled>
      <SavedSign of={saved} />
    </div>
  );
}
