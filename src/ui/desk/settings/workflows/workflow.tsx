import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import type { BodyOf, ItemOf } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Late } from '../../../kit/late.tsx';
import { part } from '../../../kit/part.ts';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { RunState } from '../../workflows/run-state.tsx';
import { useRuns, type WorkflowRun } from '../../workflows/runs.ts';
import { SavedSign, SavedSwitch } from '../parts/fields.tsx';
import { Group, Page } from '../parts/page.tsx';
import { Records } from '../parts/records.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import { refresh, showRecord } from '../parts/write.ts';
import access from '../access.module.css';
import { useMatching } from './matching.tsx';
import { namingSteps } from './problems.ts';
import { Steps } from './steps.tsx';
import { TryOut } from './try-out.tsx';

type Workflow = ItemOf<'listWorkflows'>;

const RunDialog = part(() => import('../../workflows/run-dialog.tsx').then(({ RunDialog }) => RunDialog));

const AT_ONCE = 50;

/** One workflow: whether it is active, its steps, what it would do on a ticket, and its runs. */
export function WorkflowPage({ workflow }: { workflow: Workflow }) {
  const t = useTranslations('workflows');
  const { id, name, description, state, stateReason, isTemplate, draft } = workflow;
  const published = useSaved();
  const matching = useMatching(workflow);
  const change = async (body: Partial<NonNullable<BodyOf<'updateWorkflow'>>>) =>
    namingSteps((draft ?? workflow).steps, async () =>
      showRecord('listWorkflows', await call('updateWorkflow', { params: { id }, body: { name, ...body } })),
    );
  const activate = async () => change({ state: 'Active', ...(await matching.choose()) });
  return (
    <Page backTo="workflows" title={name} intro={description} size="wide">
      {stateReason && (
        <p role="status" className={access['notice']}>
          {stateReason}
        </p>
      )}
      {draft && (
        <div className={access['notice']}>
          <p>{t('unpublished')}</p>
          <Button
            isPending={published.isSaving}
            onPress={() =>
              void published.save(async () => {
                await activate();
                showToast({ kind: 'done', text: t('published') });
              })
            }
          >
            {t('publish')}
          </Button>
          <SavedSign of={published} />
        </div>
      )}
      {isTemplate ? (
        <UseTemplate workflow={workflow} />
      ) : (
        <Group>
          <SavedSwitch
            label={t('active')}
            help={t('activeHelp')}
            value={state === 'Active'}
            save={(isOn) => (isOn ? activate() : change({ state: 'Draft' }))}
          />
        </Group>
      )}
      <Steps content={draft ?? workflow} />
      <TryOut workflow={workflow} />
      {!isTemplate && <Runs workflow={workflow} />}
      {matching.question}
    </Page>
  );
}

function UseTemplate({ workflow: { id, name } }: { workflow: Workflow }) {
  const t = useTranslations('workflows');
  const navigate = useNavigate();
  const copied = useSaved();
  const copy = async () => {
    const made = await call('duplicateWorkflow', { body: { id, name, collectionId: null } });
    await refresh(['listWorkflows']);
    await navigate({
      to: '/settings/{-$section}/{-$item}',
      params: { section: 'workflows', item: made.id },
    });
  };
  return (
    <Group help={t('useHelp')}>
      <div className={access['row']}>
        <Button kind="primary" isPending={copied.isSaving} onPress={() => void copied.save(copy)}>
          {t('use')}
        </Button>
        <SavedSign of={copied} />
      </div>
    </Group>
  );
}

/** The newest runs; one of them with its steps. */
function Runs({ workflow: { id, state: ofWorkflow } }: { workflow: Workflow }) {
  const t = useTranslations('workflows');
  const [opened, setOpened] = useState<WorkflowRun>();
  const read = useRuns({ workflowId: id, limit: AT_ONCE }, ofWorkflow === 'Active');
  const rows = read.data?.items ?? [];
  const hidden = (read.data?.totalCount ?? 0) - rows.length;
  return (
    <Group title={t('runs')}>
      <Records
        label={t('runs')}
        read={read}
        rows={rows}
        empty={{ title: t('noRuns') }}
        columns={[
          { id: 'ticket', title: t('ticket'), cell: ({ ticketCode }) => ticketCode ?? t('noTicket') },
          { id: 'state', title: t('state'), cell: ({ state }) => <RunState state={state} /> },
          {
            id: 'began',
            title: t('began'),
            isRight: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
        ]}
        actions={(run) => (
          <Button
            size="small"
            kind="quiet"
            aria-label={t('showName', { code: run.ticketCode ?? t('noTicket') })}
            onPress={() => setOpened(run)}
          >
            {t('show')}
          </Button>
        )}
      />
      {hidden > 0 && <p className={access['muted']}>{t('newestOnly', { count: AT_ONCE })}</p>}
      <Late>{opened && <RunDialog run={opened} canChange onClose={() => setOpened(undefined)} />}</Late>
    </Group>
  );
}
