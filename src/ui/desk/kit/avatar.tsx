import { useState } from 'react';

import { firstCharacter } from '../../../contract/cut.ts';
import { nameOf } from '../api/people.ts';
import styles from './avatar.module.css';

type Shown = {
  id?: string;
  firstName: string | null;
  lastName: string | null;
  email?: string | null;
  picture?: string | null;
};

const HUES = [12, 45, 90, 150, 190, 220, 260, 300, 335];

/** A person's picture, or their initials in a colour that stays theirs. Decoration: the name stands beside it. */
export function Avatar({
  person,
  size = 20,
}: {
  person: Shown | null | undefined;
  size?: 16 | 20 | 28 | 40;
}) {
  // A picture that cannot be read is no reason to show none.
  const [lost, setLost] = useState<string | null>();
  const name = person ? nameOf(person) : '';
  const initials = name.split(/\s+/).map(firstCharacter).slice(0, 2).join('').toLocaleUpperCase();
  const hue =
    HUES[
      Array.from(person?.id ?? name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) %
        HUES.length
    ];
  return (
    <span
      className={`${styles['avatar']} ${person ? '' : styles['nobody']}`}
      style={{ width: size, height: size, fontSize: size * 0.42, ['--hue' as string]: hue }}
      // Drawn, not text: the name of a button must contain the text that it shows.
      data-initials={initials}
      aria-hidden
    >
      {person?.picture && person.picture !== lost && (
        <img
          src={person.picture}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          onError={() => setLost(person.picture)}
        />
      )}
    </span>
  );
}
