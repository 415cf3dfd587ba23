import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useTranslations } from 'use-intl';

import { useRole } from '../api/session.ts';
import { useCommands } from '../kit/commands.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Empty, Loading } from '../kit/states.tsx';
import { settingsTexts } from '../messages/later.ts';
import { findSettings, type GroupId, type Section, SECTIONS } from './sections.ts';
import styles from './settings.module.css';

export function Settings() {
  return (
    <MoreTexts texts={settingsTexts}>
      <Pages />
    </MoreTexts>
  );
}

/** The sections at the left, one subject at the right. On a phone one of the two. */
function Pages() {
  const t = useTranslations('settings');
  const role = useRole();
  const { section: id, item } = useParams({ strict: false });
  const sections = SECTIONS.filter(
    ({ isForAgents }) => role === 'admin' || (role === 'agent' && isForAgents),
  );
  const open = sections.find((section) => section.id === id) ?? (id ? undefined : sections[0]);
  const title = open ? t(`sections.${open.id}`) : t('title');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className={styles['settings']} data-open={id ? '' : undefined}>
      <Sections sections={sections} open={open} />
      <div className={styles['page']}>
        {id && !(open && item) && (
          <Link
            to="/settings/{-$section}/{-$item}"
            params={{ section: undefined, item: undefined }}
            className={styles['back']}
          >
            <ChevronLeft size={16} aria-hidden /> {t('back')}
          </Link>
        )}
        {open ? (
          <Suspense key={`${open.id} ${item}`} fallback={<Loading />}>
            <open.Page item={item} />
          </Suspense>
        ) : (
          <Empty title={t('adminsOnly')}>{t('adminsOnlyMore')}</Empty>
        )}
      </div>
    </main>
  );
}

function Sections({ sections, open }: { sections: readonly Section[]; open: Section | undefined }) {
  const t = useTranslations('settings');
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  useCommands([
    {
      id: 'settings-search',
      group: t('title'),
      label: t('search'),
      keys: '/',
      run: () => field.current?.focus(),
    },
    ...sections.map((section) => ({
      id: `settings-${section.id}`,
      group: t('title'),
      label: t(`sections.${section.id}`),
      run: () =>
        void navigate({
          to: '/settings/{-$section}/{-$item}',
          params: { section: section.id, item: undefined },
        }),
    })),
  ]);
  const words = typed.trim().toLocaleLowerCase();
  const inside = words ? findSettings(sections, words) : [];
  const shown = sections.filter(
    (section) =>
      t(`sections.${section.id}`).toLocaleLowerCase().includes(words) ||
      inside.some((found) => found.section === section),
  );
  const groups: [GroupId, Section[]][] = [...Map.groupBy(shown, ({ group }) => group)];
  return (
    <nav aria-label={t('title')} className={styles['sections']}>
      <h1>{t('title')}</h1>
      <SearchField
        aria-label={t('search')}
        value={typed}
        onChange={setTyped}
        className={styles['search'] ?? ''}
      >
        <Input ref={field} placeholder={t('search')} className={styles['input'] ?? ''} />
      </SearchField>
      {shown.length === 0 && <p className={styles['nothing']}>{t('nothing')}</p>}
      {groups.map(([group, members]) => (
        <section key={group} aria-label={t(`groups.${group}`)}>
          <h2>{t(`groups.${group}`)}</h2>
          <ul>
            {members.map((section) => (
              <li key={section.id}>
                <Link
                  to="/settings/{-$section}/{-$item}"
                  params={{ section: section.id, item: undefined }}
                  aria-current={section === open ? 'page' : undefined}
                  className={styles['link']}
                >
                  {t(`sections.${section.id}`)}
                </Link>
                {words && (
                  <ul className={styles['inside']}>
                    {inside
                      .filter((found) => found.section === section)
                      .map((found) => (
                        <li key={found.words}>
                          <Link
                            to="/settings/{-$section}/{-$item}"
                            params={{ section: section.id, item: undefined }}
                            {...(found.tab && { hash: found.tab })}
                            className={styles['link']}
                          >
                            {found.words}
                          </Link>
                        </li>
                      ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
