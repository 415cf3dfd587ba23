import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../kit/button.tsx';
import { TOUCH, useMedia } from '../kit/media.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Empty } from '../kit/states.tsx';
import { listParts } from '../messages/list-parts.ts';
import { FirstSteps } from './first-steps.tsx';
import styles from './list.module.css';
import { BEST } from './tickets.ts';
import { type Current, isOwnView } from './views.ts';

const TEXTS = { listParts };

/** The scope of a search, and how to extend it. */
export function Scope(props: ComponentProps<typeof ScopeText>) {
  return (
    <MoreTexts texts={TEXTS}>
      <ScopeText {...props} />
    </MoreTexts>
  );
}

/** Why a list is empty, and what to do. */
export function Nothing(props: ComponentProps<typeof NothingText>) {
  return (
    <MoreTexts texts={TEXTS}>
      <NothingText {...props} />
    </MoreTexts>
  );
}

/** The view in the address was deleted, or is shared no more. */
export function NoView() {
  return (
    <MoreTexts texts={TEXTS}>
      <NoViewText />
    </MoreTexts>
  );
}

function NoViewText() {
  const t = useTranslations('listParts.outcome');
  const navigate = useNavigate();
  const toOpen = () => void navigate({ to: '/views/$view', params: { view: 'open' }, search: {} as never });
  return (
    <Empty title={t('noView')}>
      <p>{t('noViewMore')}</p>
      <Button onPress={toOpen}>{t('toOpen')}</Button>
    </Empty>
  );
}

function ScopeText({
  current,
  shown,
  total,
  hasMeaning,
  hasWords,
}: {
  current: Current;
  shown: number;
  total: number;
  /** Whether it was searched by meaning as well, if it could be. */
  hasMeaning: boolean;
  /** Whether a match has the words themselves, not only their meaning. */
  hasWords: boolean;
}) {
  const t = useTranslations('listParts.outcome');
  const navigate = useNavigate();
  const { search } = current;
  const note = !hasMeaning && <p className={styles['note']}>{t('byWordsOnly')}</p>;
  if (shown === 0) return note;
  return (
    <>
      <p className={styles['bar']}>
        <span className={styles['count']} style={{ margin: 0 }}>
          {current.isByWords ? t('count', { count: total }) : t('best', { count: shown })}
        </span>
        {current.view.id !== 'all' && (
          <Button
            size="small"
            kind="quiet"
            onPress={() =>
              void navigate({ to: '/views/$view', params: { view: 'all' }, search: { search } as never })
            }
          >
            {t('searchAll')}
          </Button>
        )}
        {!current.isByWords && hasWords && shown >= BEST && (
          <Button
            size="small"
            kind="quiet"
            onPress={() =>
              void navigate({ to: '.', search: ((before: object) => ({ ...before, by: 'words' })) as never })
            }
          >
            {t('listAll')}
          </Button>
        )}
      </p>
      {note}
    </>
  );
}

function NothingText({ current }: { current: Current }) {
  const t = useTranslations('listParts.outcome');
  const isTouched = useMedia(TOUCH);
  const navigate = useNavigate();
  const { search } = current;
  const isWhole = current.view.id === 'all' && Object.keys(current.filters).length === 0;
  const toAll = () =>
    void navigate({
      to: '/views/$view',
      params: { view: 'all' },
      search: (search ? { search } : {}) as never,
    });
  if (search)
    return (
      <Empty title={t('nothingFound', { search })}>
        <p>{t(isWhole ? 'nothingFoundMore' : 'nothingFoundHere')}</p>
        {!isWhole && <Button onPress={toAll}>{t('searchAll')}</Button>}
      </Empty>
    );
  if (current.isChanged)
    return (
      <Empty title={t('noneMatch')}>
        <Button
          onPress={() =>
            void navigate({ to: '/views/$view', params: { view: current.view.id }, search: {} as never })
          }
        >
          {t('clear')}
        </Button>
      </Empty>
    );
  const kind = isOwnView(current.view.id) ? current.view.id : 'saved';
  // No keys there.
  const byTouch = isTouched ? (['mine', 'snoozed', 'all'] as const).find((each) => each === kind) : undefined;
  return (
    <Empty title={t(`empty.${kind}.title`)}>
      <p>{byTouch ? t(`empty.byTouch.${byTouch}`) : t(`empty.${kind}.more`)}</p>
      <FirstSteps />
      {!isWhole && <Button onPress={toAll}>{t('showAll')}</Button>}
    </Empty>
  );
}
