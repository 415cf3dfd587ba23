import { Plus, X } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../../api/people.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Away } from '../../kit/away.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Labelled } from '../../../kit/field.tsx';
import { PersonPicker } from '../../kit/person-picker.tsx';
import styles from './fields.module.css';
import { SavedSign } from './fields.tsx';
import { useSavedValue } from '../../kit/use-saved.ts';

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
  save: (ids: readonly string[]) => Promise<unknown>;
}) {
  const t = useTranslations('settings');
  const { shown: ids, saved, choose } = useSavedValue(present, save);
  const people = usePeople(ids);
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
                  onPress={() => void choose(ids.filter((each) => each !== id))}
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
            onChange={(next) => void choose(next)}
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
