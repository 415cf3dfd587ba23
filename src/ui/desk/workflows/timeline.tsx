import { CircleAlert, CircleDashed, CircleMinus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { StatusSign } from '../kit/signs.tsx';
import signs from '../kit/signs.module.css';
import { Moment, Time } from '../kit/time.tsx';
import { useActions } from './actions.ts';
import type { RanStep } from './runs.ts';
import { ValueList } from './values.tsx';
import styles from './workflows.module.css';

/** A step of a run, or of a try-out, which has no times of its own. */
type Step = Omit<RanStep, 'beganAt' | 'endedAt'> & Partial<Pick<RanStep, 'endedAt'>>;

/** Steps in their order: what each was given, what came of it, and what a person can do about it. */
export function Timeline<Each extends Step>({
  steps,
  actions,
}: {
  steps: readonly Each[];
  actions?: (step: Each) => ReactNode;
}) {
  const t = useTranslations('workflows');
  const known = useActions();
  return (
    <ol className={styles['timeline']}>
      {steps.map((step) => {
        const action = known?.get(step.action);
        return (
          <li key={step.stepId} data-state={step.state}>
            <span className={styles['sign']}>
              <StepSign state={step.state} />
            </span>
            <div className={styles['step']}>
              <p className={styles['head']}>
                <strong>{step.title}</strong>
                <span className={styles['dim']}>
                  {t(`stepStates.${step.state}`)}
                  {step.waitsUntil ? (
                    <>
                      {' '}
                      {t('until')} <Moment at={step.waitsUntil} />
                    </>
                  ) : (
                    step.endedAt && (
                      <>
                        {' · '}
                        <Time at={step.endedAt} />
                      </>
                    )
                  )}
                </span>
              </p>
              {step.error && <p className={styles['error']}>{step.error}</p>}
              {actions?.(step)}
              {step.state !== 'unreached' && (
                <>
                  <ValueList title={t('inputs')} values={step.inputs} fields={action?.inputs} />
                  <Outputs values={step.outputs}>
                    <ValueList title={t('outputs')} values={step.outputs} fields={action?.outputs} />
                  </Outputs>
                </>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** The shape says the state of a step, so colour is never alone. */
function StepSign({ state }: Pick<Step, 'state'>) {
  const props = { size: 14, 'aria-hidden': true } as const;
  switch (state) {
    case 'done':
      return <StatusSign group="Done" />;
    case 'waiting':
      return <StatusSign group="Waiting" />;
    case 'failed':
      return <CircleAlert {...props} className={signs['failed']} />;
    case 'pending':
      return <CircleDashed {...props} />;
    case 'skipped':
    case 'unreached':
      return <CircleMinus {...props} />;
  }
}

/** What came of a step is looked up rarely: it is folded away. */
function Outputs({ values, children }: { values: Step['outputs']; children: ReactNode }) {
  const t = useTranslations('workflows');
  if (!values || Object.keys(values).length === 0) return null;
  return (
    <details className={styles['outputs']}>
      <summary>{t('outputs')}</summary>
      {children}
    </details>
  );
}
