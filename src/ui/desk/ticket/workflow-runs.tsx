import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import { withTexts } from '../kit/more-texts.tsx';
import { workflowRuns } from '../messages/workflow-runs.ts';

import { Refusal } from '../api/call.ts';
import type { TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { Failed, Loading } from '../kit/states.tsx';
import { Moment, Time } from '../kit/time.tsx';
import { RunSign } from '../workflows/run-sign.tsx';
import { isLive, useRun, useRuns, type WorkflowRun } from '../workflows/runs.ts';
import styles from './details.module.css';
import type { Permissions } from './may.ts';
import { Section } from './row.tsx';

const RunDialog = part(() => import('../workflows/run-dialog.tsx').then(({ RunDialog }) => RunDialog));
const RunWorkflowDialog = part(() =>
  import('../workflows/run-workflow.tsx').then(({ RunWorkflowDialog }) => RunWorkflowDialog),
);

/** Shown at first, and read. */
const FIRST = 5;
const MOST = 50;

/** What workflows do on the ticket, the newest run first, for those who may read that. */
export const WorkflowRuns = withTexts({ workflowRuns }, Runs);

function Runs({ ticket, may: { isWorker } }: { ticket: TicketDetail; may: Permissions }) {
  const t = useTranslations('workflowRuns');
  const ofTicket = useTranslations('ticket');
  const read = useRuns({ ticketId: ticket.id, limit: MOST });
  const [isWhole, setWhole] = useState(false);
  const [opened, setOpened] = useState<WorkflowRun>();
  const [isRunning, setRunning] = useState(false);
  const runs = read.data?.items ?? [];
  // A service without workflows, or a person who may not see what they do.
  if (read.error instanceof Refusal && read.error.isAbsent) return null;
  if (read.data && runs.length === 0 && !isWorker) return null;
  const shown = isWhole ? runs : runs.slice(0, FIRST);
  return (
    <Section title={t('title')}>
      {read.isPending ? (
        <Loading rows={2} />
      ) : read.error ? (
        <Failed error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        runs.length === 0 && <p className={styles['dim']}>{t('none')}</p>
      )}
      {shown.length > 0 && (
        <ul className={styles['list']}>
          {shown.map((run) => (
            <li key={run.id}>
              <Pressable className={`${styles['ticket']} ${styles['run']}`} onPress={() => setOpened(run)}>
                <RunSign state={run.state} />
                <span className={styles['of']}>
                  <span className={styles['name']}>{run.workflowName}</span>
                  <span className={styles['dim']}>
                    {isLive(run) ? <Now run={run} /> : <Ended run={run} />}
                  </span>
                </span>
              </Pressable>
            </li>
          ))}
        </ul>
      )}
      {shown.length < runs.length && (
        <Button size="small" kind="quiet" onPress={() => setWhole(true)}>
          {t('more', { count: runs.length - shown.length })}
        </Button>
      )}
      {isWorker && (
        <Pressable className={styles['add'] ?? ''} onPress={() => setRunning(true)}>
          <Plus size={13} aria-hidden />
          {ofTicket('runWorkflow')}
        </Pressable>
      )}
      <Late>
        {opened && <RunDialog run={opened} canChange={isWorker} onClose={() => setOpened(undefined)} />}
        {isRunning && <RunWorkflowDialog ticket={ticket} onClose={() => setRunning(false)} />}
      </Late>
    </Section>
  );
}

/** Where a live run is: the step that failed, or what it waits for. */
function Now({ run: { id, state } }: { run: WorkflowRun }) {
  const t = useTranslations('workflowRuns');
  const { data } = useRun(id);
  const of = (wanted: string) => data?.steps.filter((step) => step.state === wanted) ?? [];
  const [failed] = of('failed');
  if (failed) return `${t('failed')}: ${failed.title}`;
  const waiting = of('waiting');
  if (waiting.length === 0) return t(state);
  const until = waiting.flatMap(({ waitsUntil }) => waitsUntil ?? []).toSorted()[0];
  return (
    <>
      {t('waiting')}: {waiting.map(({ title }) => title).join(', ')}
      {until && (
        <>
          {' · '}
          {t('until')} <Moment at={until} />
        </>
      )}
    </>
  );
}

function Ended({ run: { state, endedAt, updatedAt } }: { run: WorkflowRun }) {
  const t = useTranslations('workflowRuns');
  return (
    <>
      {t(state)} · <Time at={endedAt ?? updatedAt} />
    </>
  );
}
