import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import type { Answer } from '../../api/types.ts';
import { Time } from '../../kit/time.tsx';
import { Badge } from '../parts/records.tsx';
import styles from './workflows.module.css';

type RunStep = Answer<'readWorkflowRun'>['steps'][number];
/** A step of a run, or of a test run, which has no times. */
type Step = Omit<RunStep, 'beganAt' | 'endedAt'> & Partial<Pick<RunStep, 'endedAt'>>;

/** The steps of a run in order, each with its inputs, outputs and actions. */
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

/** The inputs or outputs of a step; renders nothing if there are none. */
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
