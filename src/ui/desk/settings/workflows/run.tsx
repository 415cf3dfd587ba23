import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { useOperation } from '../../api/query.ts';
import type { Answer, Operation } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Failed, Loading } from '../../kit/states.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { Group } from '../parts/page.tsx';
import { Badge } from '../parts/records.tsx';
import { useSaved } from '../parts/use-saved.ts';
import { saveAndRefresh } from '../parts/write.ts';
import access from '../access.module.css';
import { Timeline } from './timeline.tsx';

const LISTS: readonly Operation[] = ['listWorkflowRuns', 'readWorkflowRun'];
const LIVE: readonly Answer<'readWorkflowRun'>['state'][] = ['running', 'waiting', 'failed'];

/** One run as a timeline, with what a person can do about it. */
export function Run({ id }: { id: string }) {
  const t = useTranslations('workflows');
  const read = useOperation('readWorkflowRun', { params: { id } });
  const changed = useSaved();
  if (read.error) return <Failed error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <Loading rows={4} />;
  const { ticketId, ticketCode, state, steps } = read.data;
  const isBusy = changed.state === 'saving';
  const params = { id };
  const change = (work: () => Promise<unknown>, text: string) =>
    void changed.save(async () => {
      await work();
      showToast({ kind: 'done', text });
    });
  return (
    <Group title={ticketCode === null ? t('runBySchedule') : t('run', { code: ticketCode })}>
      <div className={access['row']}>
        {ticketId !== null && (
          <Link to="/tickets/$code" params={{ code: ticketId }} search={{}}>
            {ticketCode}
          </Link>
        )}
        <Badge>{t(`runStates.${state}`)}</Badge>
        {LIVE.includes(state) && (
          <Button
            isDisabled={isBusy}
            onPress={() => change(() => saveAndRefresh('stopWorkflowRun', { params }, LISTS), t('stopped'))}
          >
            {t('stop')}
          </Button>
        )}
        {changed.state === 'failed' && <SavedSign of={changed} />}
      </div>
      <Timeline
        steps={steps}
        actions={({ stepId, title, state: stepState }) =>
          state === 'failed' &&
          stepState === 'failed' && (
            <div className={access['row']}>
              <Button
                isDisabled={isBusy}
                aria-label={t('retryName', { step: title })}
                onPress={() =>
                  change(
                    () => saveAndRefresh('retryWorkflowStep', { params, body: { stepId } }, LISTS),
                    t('retried'),
                  )
                }
              >
                {t('retry')}
              </Button>
              <Button
                isDisabled={isBusy}
                aria-label={t('skipName', { step: title })}
                onPress={() =>
                  change(
                    () => saveAndRefresh('skipWorkflowStep', { params, body: { stepId } }, LISTS),
                    t('skipped'),
                  )
                }
              >
                {t('skip')}
              </Button>
            </div>
          )
        }
      />
    </Group>
  );
}
