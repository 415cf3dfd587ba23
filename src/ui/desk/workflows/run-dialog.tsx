import { Link } from '@tanstack/react-router';
import { type Ref, useRef } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import { useRole } from '../api/session.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Failure } from '../kit/failure.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { workflows } from '../messages/workflows.ts';
import { useSaved } from '../kit/use-saved.ts';
import { saveAndRefresh } from '../settings/parts/write.ts';
import { RunState } from './run-state.tsx';
import { isLive, type RanStep, RUN_LISTS, type RunDetail, type WorkflowRun, useRun } from './runs.ts';
import { Timeline } from './timeline.tsx';
import styles from './workflows.module.css';

interface Props {
  run: Pick<WorkflowRun, 'id' | 'workflowName'>;
  /** Whether the person may retry, skip and stop. */
  canChange: boolean;
  onClose: () => void;
}

/** One run as a timeline, with what a person can do about it. */
export const RunDialog = withTexts({ workflows }, Opened);

function Opened({ run: { id, workflowName }, canChange, onClose }: Props) {
  const t = useTranslations('workflows');
  const read = useRun(id);
  const changed = useSaved();
  const about = useRef<HTMLParagraphElement>(null);
  const change = (work: () => Promise<unknown>, text: string) =>
    void changed.save(async () => {
      await work();
      showToast({ kind: 'done', text });
      // The button that was pressed is gone: without the focus, the dialog would not hear its keys.
      about.current?.focus();
    });
  const run = read.data;
  const params = { id };
  const stop = () => change(() => saveAndRefresh('stopWorkflowRun', { params }, RUN_LISTS), t('stopped'));
  const isBusy = changed.isSaving;
  return (
    <Dialog
      title={workflowName}
      size="wide"
      onClose={onClose}
      {...(canChange &&
        run &&
        isLive(run) && {
          footer: (
            <Button isDisabled={isBusy} onPress={stop}>
              {t('stop')}
            </Button>
          ),
        })}
    >
      {run ? (
        <>
          <About run={run} ref={about} />
          <Failure text={changed.error} />
          <Timeline
            steps={run.steps}
            actions={(step) =>
              canChange &&
              run.state === 'failed' &&
              step.state === 'failed' && (
                <FailedStep
                  step={step}
                  isBusy={isBusy}
                  onRetry={(body) =>
                    change(
                      () => saveAndRefresh('retryWorkflowStep', { params, body }, RUN_LISTS),
                      t('retried'),
                    )
                  }
                  onSkip={(body) =>
                    change(
                      () => saveAndRefresh('skipWorkflowStep', { params, body }, RUN_LISTS),
                      t('skipped'),
                    )
                  }
                />
              )
            }
          />
        </>
      ) : read.error ? (
        <Failed error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Loading rows={4} />
      )}
    </Dialog>
  );
}

/** The state of a run, its ticket, and what started it. */
function About({ run, ref }: { run: RunDetail; ref: Ref<HTMLParagraphElement> }) {
  const t = useTranslations('workflows');
  const role = useRole();
  const person = usePerson(run.startedById);
  const trigger = run.steps.find(({ stepId }) => stepId === run.triggerStepId);
  return (
    <p ref={ref} tabIndex={-1} className={styles['about']}>
      <RunState state={run.state} />
      {run.ticketCode !== null && (
        <span>
          {t('on')}{' '}
          <Link to="/tickets/$code" params={{ code: run.ticketCode }} search={{}}>
            {run.ticketCode}
          </Link>
        </span>
      )}
      <span className={styles['dim']}>
        {run.startedById ? t('startedBy', { name: nameOf(person) }) : (trigger?.title ?? '')}
        {' · '}
        <Time at={run.createdAt} />
      </span>
      {role === 'admin' && (
        <Link
          to="/settings/{-$section}/{-$item}"
          params={{ section: 'workflows', item: run.workflowId }}
          className={styles['end']}
        >
          {t('openWorkflow')}
        </Link>
      )}
    </p>
  );
}

/** What a person can do about a step that has failed. */
function FailedStep({
  step: { stepId, title },
  isBusy,
  onRetry,
  onSkip,
}: {
  step: RanStep;
  isBusy: boolean;
  onRetry: (body: { stepId: string }) => void;
  onSkip: (body: { stepId: string }) => void;
}) {
  const t = useTranslations('workflows');
  return (
    <div className={styles['buttons']}>
      <Button
        size="small"
        isDisabled={isBusy}
        aria-label={t('retryName', { step: title })}
        onPress={() => onRetry({ stepId })}
      >
        {t('retry')}
      </Button>
      <Button
        size="small"
        isDisabled={isBusy}
        aria-label={t('skipName', { step: title })}
        onPress={() => onSkip({ stepId })}
      >
        {t('skip')}
      </Button>
    </div>
  );
}
