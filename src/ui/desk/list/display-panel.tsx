import { Download } from 'lucide-react';
import type { ComponentProps, RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/field.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Panel } from '../../kit/panel.tsx';
import { listParts } from '../messages/list-parts.ts';
import { COLUMNS, useColumns } from './columns.ts';
import { useSetDisplay } from './display-changes.ts';
import { type Display, GROUPINGS } from './display.ts';
import styles from './table.module.css';
import { isByMatch } from './tickets.ts';
import type { Current } from './views.ts';

const TEXTS = { listParts };

/** How the list is shown: its groups, its columns and how close its rows are. It stays so in this browser. */
export function DisplayPanel(props: ComponentProps<typeof Choices>) {
  return (
    <MoreTexts texts={TEXTS}>
      <Choices {...props} />
    </MoreTexts>
  );
}

function Choices({
  trigger,
  list,
  display,
  isWide,
  onCsv,
  onClose,
}: {
  trigger: RefObject<HTMLElement | null>;
  list: Current;
  display: Display;
  isWide: boolean;
  /** Absent: they may not. */
  onCsv: (() => void) | undefined;
  onClose: () => void;
}) {
  const t = useTranslations('listParts.table');
  const texts = useTranslations('list');
  const { setColumns, setGroupBy, setCompact } = useSetDisplay(list.view);
  const shown = useColumns(display.columns);
  const toggle = (column: string, isShown: boolean) =>
    setColumns(COLUMNS.filter((each) => (each === column ? isShown : shown.includes(each))));
  const groupings = [undefined, ...GROUPINGS];
  return (
    <Panel
      label={texts('display')}
      trigger={trigger}
      placement="bottom end"
      look={{ popover: styles['popover'] ?? '', dialog: styles['panel'] ?? '' }}
      onClose={onClose}
    >
      {!isByMatch(list) && (
        <section role="group" aria-label={t('groupBy')}>
          <p>{t('groupBy')}</p>
          <div className={styles['choices']}>
            {groupings.map((groupBy) => (
              <Choice
                key={groupBy ?? ''}
                text={t(`groupings.${groupBy ?? 'none'}`)}
                isChosen={display.groupBy === groupBy}
                onChoose={() => setGroupBy(groupBy)}
              />
            ))}
          </div>
        </section>
      )}
      {isWide && (
        <>
          <section role="group" aria-label={t('density')}>
            <p>{t('density')}</p>
            <div className={styles['choices']}>
              {[false, true].map((isCompact) => (
                <Choice
                  key={String(isCompact)}
                  text={t(isCompact ? 'compact' : 'comfortable')}
                  isChosen={display.isCompact === isCompact}
                  onChoose={() => setCompact(isCompact)}
                />
              ))}
            </div>
          </section>
          <section role="group" aria-label={t('columns')}>
            <p>{t('columns')}</p>
            {COLUMNS.map((column) => (
              <Switch
                key={column}
                label={t(`names.${column}`)}
                isSelected={shown.includes(column)}
                onChange={(isShown) => toggle(column, isShown)}
              />
            ))}
            {display.columns && (
              <Button size="small" kind="quiet" onPress={() => setColumns(undefined)}>
                {t('reset')}
              </Button>
            )}
          </section>
        </>
      )}
      {onCsv && (
        <Button size="small" onPress={onCsv}>
          <Download size={14} aria-hidden />
          {texts('csv')}
        </Button>
      )}
    </Panel>
  );
}

/** One of several that exclude each other. */
function Choice({ text, isChosen, onChoose }: { text: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <Button size="small" kind={isChosen ? 'plain' : 'quiet'} aria-pressed={isChosen} onPress={onChoose}>
      {text}
    </Button>
  );
}
