import { useTranslations } from 'use-intl';

import { MoreTexts } from '../kit/more-texts.tsx';
import { listParts } from '../messages/list-parts.ts';
import styles from './list.module.css';
import { type Match, passageOf } from './tickets.ts';

const TEXTS = { listParts };

/** The title of a ticket with what was found in it. */
export function FoundTitle({ match, title }: { match: Match; title: string | null }) {
  const t = useTranslations('list');
  const found = match.snippets.find(({ field }) => field === 'title');
  return found ? <Marked {...found} /> : (title ?? t('untitled'));
}

/** The place of a matching text, if the text itself does not show it. */
const WHERE: Record<string, 'inMessage' | 'inNote' | 'inFile' | 'inField'> = {
  message: 'inMessage',
  note: 'inNote',
  file: 'inFile',
  field: 'inField',
};

/** Why a search found a ticket, other than by its title. */
export function Why({ match }: { match: Match }) {
  return (
    <MoreTexts texts={TEXTS}>
      <Reason match={match} />
    </MoreTexts>
  );
}

function Reason({ match }: { match: Match }) {
  const t = useTranslations('listParts.match');
  if (match.by === 'meaning') return <span className={styles['why']}>{t('meaning')}</span>;
  const found = passageOf(match);
  if (!found) return null;
  const label = WHERE[found.field];
  return (
    <span className={styles['why']}>
      {label && `${t(label)}: `}
      <Marked {...found} />
    </span>
  );
}

/** A text with what was found in it. */
function Marked({ text, marks }: Match['snippets'][number]) {
  const pieces = marks.map(({ from, to }, at) => (
    <span key={from}>
      {text.slice(marks[at - 1]?.to ?? 0, from)}
      <mark>{text.slice(from, to)}</mark>
    </span>
  ));
  return (
    <>
      {pieces}
      {text.slice(marks.at(-1)?.to ?? 0)}
    </>
  );
}
