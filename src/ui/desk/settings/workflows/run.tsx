import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { Refusal } from '../../api/call.ts';
import { useOperation } from '../../api/query.ts';
import type { Answer, Operation } from '../../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Failed, Loading } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { Group } from '../parts/page.tsx';
import { Badge } from '../parts/records.tsx';
import { write } from '../parts/write.ts';
import access from '../access.module.css';
import styles from './workflows.module.css';

type RunDetail = Answer<'readWorkflowRun'>;
type Step = RunDetail['steps'][number];

const LISTS: readonly Operation[] = ['listWorkflowRuns', 'readWorkflowRun'];
const LIVE: readonly RunDetail['state'][] = ['running', 'waiting', 'failed'];

/** One run as a timeline: what each step was given, what came of it, and what a person can do about it. */
export function Run({ id }: { id: string }) {
  const t = useTranslations('workflows');
  const read = useOperation('readWorkflowRun', { params: { id } });
  const [isBusy, setBusy] = useState(false);
  const act = async (work: () => Promise<unknown>, text: string) => {
    setBusy(true);
    try {
      await work();
      showToast({ kind: 'done', text });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showToast({ kind: 'error', text: error.message });
    } finally {
      setBusy(false);
    }
  };
  if (read.error) return <Failed error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <Loading rows={4} />;
  const { ticketId, ticketCode, state, steps } = read.data;
  return (
    <Group title={t('run', { code: ticketCode })}>
      <div className={access['row']}>
        <Link to="/tickets/$code" params={{ code: ticketId }} search={{}}>
          {ticketCode}
        </Link>
        <Badge>{t(`runStates.${state}`)}</Badge>
        {LIVE.includes(state) && (
          <Button
            isDisabled={isBusy}
            onPress={() => void act(() => write('stopWorkflowRun', { params: { id } }, LISTS), t('stopped'))}
          >
            {t('stop')}
          </Button>
        )}
      </div>
      <ol className={styles['timeline']}>
        {steps.map((step) => (
          <li key={step.stepId} data-state={step.state}>
            <p className={styles['head']}>
              <strong>{step.title}</strong> <Badge>{t(`stepStates.${step.state}`)}</Badge>{' '}
              {step.waitsUntil ? (
                <>
                  {t('until')} <Time at={step.waitsUntil} />
                </>
              ) : (
                step.endedAt && <Time at={step.endedAt} />
              )}
            </p>
            {step.error && <p className={styles['error']}>{step.error}</p>}
            <Values title={t('inputs')} values={step.inputs} />
            <Values title={t('outputs')} values={step.outputs} />
            {state === 'failed' && step.state === 'failed' && (
              <div className={access['row']}>
                <Button
                  isDisabled={isBusy}
                  onPress={() =>
                    void act(
                      () =>
                        write('retryWorkflowStep', { params: { id }, body: { stepId: step.stepId } }, LISTS),
                      t('retried'),
                    )
                  }
                >
                  {t('retry')}
                </Button>
                <Button
                  isDisabled={isBusy}
                  onPress={() =>
                    void act(
                      () =>
                        write('skipWorkflowStep', { params: { id }, body: { stepId: step.stepId } }, LISTS),
                      t('skipped'),
                    )
                  }
                >
                  {t('skip')}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
    </Group>
  );
}

/** What a step was given, or what came of it; nothing if that is nothing. */
function Values({ title, values }: { title: string; values: Step['inputs'] }) {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== null && value !== '');
  if (entries.length === 0) return null;
  return (
    <dl className={styles['values']} aria-label={title}>
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
