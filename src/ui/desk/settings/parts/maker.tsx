import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../../api/people.ts';
import type { Person } from '../../api/types.ts';

/** Returns the creator of each record; undefined for the operator and for unknown users. */
export function useMakers(
  records: readonly { madeById?: string | null }[],
): (record: { madeById?: string | null }) => Person | undefined {
  const people = usePeople(records.flatMap(({ madeById }) => madeById ?? []));
  return ({ madeById }) => people.get(madeById ?? '');
}

interface MakerProps {
  person: Person | undefined;
  /** Null: the operator. Another service does not say it. */
  madeById: string | null | undefined;
}

/** The name of who made a record. */
export function MakerName({ person, madeById }: MakerProps) {
  const t = useTranslations('access.made');
  if (madeById === undefined) return null;
  if (madeById === null) return t('operator');
  return person ? nameOf(person) : '…';
}

/** The same, with the way to the person's page. */
export function Maker({ person, madeById }: MakerProps) {
  if (!person) return <MakerName person={person} madeById={madeById} />;
  return (
    <Link to="/settings/{-$section}/{-$item}" params={{ section: 'people', item: person.id }} hash>
      {nameOf(person)}
    </Link>
  );
}

/** Why something stopped that a person made: what became of the person. */
export function useWhyStopped(): (maker: Person | undefined) => string {
  const t = useTranslations('access.made');
  return (maker) => {
    if (!maker || maker.erasedAt) return t('stopped.erased');
    const name = nameOf(maker);
    if (maker.deactivatedAt) return t('stopped.deactivated', { name });
    return maker.role === 'admin' ? t('stopped.back', { name }) : t('stopped.demoted', { name });
  };
}
