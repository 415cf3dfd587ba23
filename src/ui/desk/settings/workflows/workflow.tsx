import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import { useOperation } from '../../api/query.ts';
import type { BodyOf, ItemOf } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { SavedSign, SavedSwitch } from '../parts/fields.tsx';
import { Group, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useSaved } from '../parts/use-saved.ts';
import { refresh, showRecord } from '../parts/write.ts';
import access from '../access.module.css';
import { namingSteps } from './problems.ts';
import { Run } from './run.tsx';
import { TryOut } from './try-out.tsx';
import styles from './workflows.module.css';

type Workflow = ItemOf<'listWorkflows'>;

const AT_ONCE = 50;

/** One workflow: whether it is active, its steps, what it would do on a ticket, and its runs. */
export function WorkflowPage({ workflow }: { workflow: Workflow }) {
  const t = useTranslations('workflows');
  const { id, name, description, state, stateReason, isTemplate, draft, steps } = workflow;
  const published = useSaved();
  const change = async (body: Partial<NonNullable<BodyOf<'updateWorkflow'>>>) =>
    namingSteps((draft ?? workflow).steps, async () =>
      showRecord('listWorkflows', await call('updateWorkflow', { params: { id }, body: { name, ...body } })),
    );
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
            isPending={published.state === 'saving'}
            onPress={() =>
              void published.save(async () => {
                await change({ state: 'Active' });
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
            save={(isOn) => change({ state: isOn ? 'Active' : 'Draft' })}
          />
        </Group>
      )}
      <Group title={t('steps')}>
        <ol className={styles['steps']}>
          {steps.map((step) => (
            <li key={step.id}>
              {step.title} <code>{step.action}</code>
            </li>
          ))}
        </ol>
      </Group>
      <TryOut workflow={workflow} />
      {!isTemplate && <Runs workflowId={id} />}
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
        <Button kind="primary" isPending={copied.state === 'saving'} onPress={() => void copied.save(copy)}>
          {t('use')}
        </Button>
        <SavedSign of={copied} />
      </div>
    </Group>
  );
}

/** The newest runs; one of them with its steps. */
function Runs({ workflowId }: { workflowId: string }) {
  const t = useTranslations('workflows');
  const [open, setOpen] = useState<string>();
  const read = useOperation('listWorkflowRuns', { query: { workflowId, limit: AT_ONCE } });
  return (
    <>
      <Group title={t('runs')}>
        <div className={access['row']}>
          <Button isPending={read.isFetching} onPress={() => void read.refetch()}>
            {t('reload')}
          </Button>
        </div>
        <Records
          label={t('runs')}
          read={read}
          rows={read.data?.items ?? []}
          empty={{ title: t('noRuns') }}
          columns={[
            { id: 'ticket', title: t('ticket'), cell: ({ ticketCode }) => ticketCode ?? t('noTicket') },
            {
              id: 'state',
              title: t('state'),
              cell: ({ state }) => <Badge>{t(`runStates.${state}`)}</Badge>,
            },
            {
              id: 'began',
              title: t('began'),
              isRight: true,
              cell: ({ createdAt }) => <Time at={createdAt} />,
            },
          ]}
          actions={({ id, ticketCode }) => (
            <Button
              size="small"
              kind="quiet"
              aria-label={t('showName', { code: ticketCode ?? t('noTicket') })}
              onPress={() => setOpen(id)}
            >
              {t('show')}
            </Button>
          )}
        />
      </Group>
      {open !== undefined && <Run key={open} id={open} />}
    </>
  );
}
