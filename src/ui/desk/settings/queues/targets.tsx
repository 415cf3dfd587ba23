import { useTranslations } from 'use-intl';

import type { Queue } from '../../api/types.ts';
import { PrioritySign } from '../../kit/signs.tsx';
import { SavedText } from '../parts/fields.tsx';
import { Group } from '../parts/page.tsx';
import { minutesOf, spanOf } from './duration.ts';
import styles from './targets.module.css';

export type Targets = NonNullable<NonNullable<Queue['settings']>['targets']>;

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
const KINDS = ['responseMinutes', 'resolutionMinutes'] as const;
const NONE = { responseMinutes: null, resolutionMinutes: null };

/** The targets with one of them changed; priorities without any are left out. */
function withTarget(
  targets: Targets | null,
  priority: (typeof PRIORITIES)[number],
  kind: (typeof KINDS)[number],
  minutes: number | null,
): Targets {
  const { [priority]: before = NONE, ...others } = targets ?? {};
  const next = { ...before, [kind]: minutes };
  return next.responseMinutes || next.resolutionMinutes ? { ...others, [priority]: next } : others;
}

/** Targets for the first reply and the resolution, by priority; each is written when its field is left. */
export function TargetTable({
  targets,
  save,
}: {
  targets: Targets | null;
  /** Gets the present targets, which another field may have changed meanwhile. */
  save: (change: (present: Targets | null) => Targets) => Promise<unknown>;
}) {
  const t = useTranslations('queues.targets');
  const names = useTranslations('common.priority');
  return (
    <Group title={t('title')} help={t('help')}>
      <table className={styles['targets']} aria-label={t('title')}>
        <thead>
          <tr>
            <th scope="col">{t('priority')}</th>
            {KINDS.map((kind) => (
              <th key={kind} scope="col">
                {t(kind)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PRIORITIES.map((priority) => (
            <tr key={priority}>
              <th scope="row">
                <span>
                  <PrioritySign priority={priority} /> {names(priority)}
                </span>
              </th>
              {KINDS.map((kind) => (
                <td key={kind}>
                  <SavedText
                    label={t('cell', { priority: names(priority), kind: t(kind) })}
                    placeholder={t('none')}
                    autoComplete="off"
                    value={spanOf(targets?.[priority]?.[kind])}
                    check={(text) => (minutesOf(text) === undefined ? t('wrong') : undefined)}
                    save={(text) =>
                      save((present) => withTarget(present, priority, kind, minutesOf(text) ?? null))
                    }
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Group>
  );
}
