import { SlidersHorizontal } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { part } from '../../kit/part.ts';
import { IconButton } from '../../kit/button.tsx';
import { Opener } from '../../kit/opener.tsx';
import type { Display } from './display.ts';
import type { Current } from './views.ts';

const DisplayPanel = part(() => import('./display-panel.tsx').then(({ DisplayPanel }) => DisplayPanel));

/** Opens the choice of columns, groups and density. */
export function DisplayButton({
  current,
  display,
  isWide,
  onCsv,
}: {
  current: Current;
  display: Display;
  isWide: boolean;
  onCsv: (() => void) | undefined;
}) {
  const t = useTranslations('list');
  return (
    <Opener
      opens="dialog"
      button={
        <IconButton label={t('display')}>
          <SlidersHorizontal size={15} aria-hidden />
        </IconButton>
      }
    >
      {({ trigger, close }) => (
        <DisplayPanel
          trigger={trigger}
          list={current}
          display={display}
          isWide={isWide}
          onCsv={
            onCsv &&
            (() => {
              close();
              onCsv();
            })
          }
          onClose={close}
        />
      )}
    </Opener>
  );
}
