import { useTranslations } from 'use-intl';

import { useAllCommands } from '../kit/commands.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Keys } from '../../kit/keys.tsx';
import styles from './shortcuts.module.css';

/** The keyboard shortcuts of this page. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell');
  const groups = Map.groupBy(
    useAllCommands().filter(({ keys }) => keys),
    ({ group }) => group,
  );
  return (
    <Dialog title={t('shortcuts')} onClose={onClose} size="wide">
      {/* Nothing in it has the focus: keys scroll it where it is longer than the window. */}
      <div className={styles['groups']} tabIndex={0} role="region" aria-label={t('shortcuts')}>
        {[...groups].map(([group, commands]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl className={styles['list']}>
              {commands.map(({ id, label, keys }) => (
                <div key={id}>
                  <dt>{label}</dt>
                  <dd>{keys && <Keys of={keys} />}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
