import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { Answer } from '../../api/types.ts';
import { Time } from '../../kit/time.tsx';
import { Badge } from '../parts/records.tsx';
import styles from './workflows.module.css';

type Ran = Answer<'readWorkflowRun'>['steps'][number];
/** A step of a run, or of a try-out, which has no times of its own. */
type Step = Omit<Ran, 'beganAt' | 'endedAt'> & Partial<Pick<Ran, 'endedAt'>>;

/** Steps in their order: what each was given, what came of it, and what a person can do about it. */
export function Timeline<Each extends Step>({
  steps,
  actions,
}: {
  steps: readonly Each[];
  actions?: (step: Each) => ReactNode;
}) {
  const t = useTranslations('workflows');
  return (
    <ol className={styles['timeline']}>
      {steps.map((step) => (
        <li key={step.stepId} data-state={step.state}>
          <p className={styles['head']}>
            <strong>{step.title}</strong> <Badge>{t(`stepStates.${step.state}`)}</Badge>{' '}
            {step.waitsUntil ? (
              <span>
                {t('until')} <Time at={step.waitsUntil} />
              </span>
            ) : (
              step.endedAt && <Time at={step.endedAt} />
            )}
          </p>
          {step.error && <p className={styles['error']}>{step.error}</p>}
          <Values title={t('inputs')} values={step.inputs} />
          <Values title={t('outputs')} values={step.outputs} />
          {actions?.(step)}
        </li>
      ))}
    </ol>
  );
}

/** What a step was given, or what came of it; nothing if that is nothing. */
function Values({ title, values }: { title: string; values: Step['inputs'] }) {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== '');
  if (entries.length === 0) return null;
  return (
    <div className={styles['values']}>
      <p>{title}</p>
      <dl aria-label={title}>
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
