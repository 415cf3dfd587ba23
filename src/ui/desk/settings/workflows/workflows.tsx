import { useTranslations } from 'use-intl';

import type { ItemOf } from '../../api/types.ts';
import { Time } from '../../kit/time.tsx';
import { RunSign } from '../../workflows/run-sign.tsx';
import { useRuns } from '../../workflows/runs.ts';
import styles from '../../workflows/workflows.module.css';
import { Group, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useRecords } from '../parts/write.ts';
import type { SectionProps } from '../section.ts';
import { WorkflowPage } from './workflow.tsx';

type Workflow = ItemOf<'listWorkflows'>;

/** Failed runs that are counted at most. */
const COUNTED = 200;

/** The workflows and their templates: which are active, and whose runs wait for a person. */
export function WorkflowsSettings({ item }: SectionProps) {
  const t = useTranslations('workflows');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listWorkflows');
  const all = (read.data?.items ?? []).filter(({ state }) => state !== 'Deleted');
  const open = all.find(({ id }) => id === item);
  if (open) return <WorkflowPage key={open.id} workflow={open} />;
  const templates = all.filter(({ isTemplate }) => isTemplate);
  return (
    <Page title={sections('workflows')} intro={item && read.data ? t('gone') : t('intro')} size="wide">
      <Own read={read} rows={all.filter(({ isTemplate }) => !isTemplate)} />
      {templates.length > 0 && (
        <Group title={t('templates')} help={t('templatesHelp')}>
          <Records
            label={t('templates')}
            rows={templates}
            section="workflows"
            empty={{ title: '' }}
            columns={[
              { id: 'name', title: t('name'), cell: ({ name }) => name },
              { id: 'about', title: t('about'), cell: ({ description }) => description },
            ]}
          />
        </Group>
      )}
    </Page>
  );
}

/** The workflows of this workspace, the active ones first. */
function Own({
  read,
  rows,
}: {
  read: ReturnType<typeof useRecords<'listWorkflows'>>;
  rows: readonly Workflow[];
}) {
  const t = useTranslations('workflows');
  const sections = useTranslations('settings.sections');
  const failed = useRuns({ state: 'failed', limit: COUNTED });
  const failedOf = (id: string) =>
    (failed.data?.items ?? []).filter(({ workflowId }) => workflowId === id).length;
  const isOff = ({ state }: Workflow) => Number(state !== 'Active');
  return (
    <Records
      label={sections('workflows')}
      read={read}
      rows={rows.toSorted((a, b) => isOff(a) - isOff(b))}
      section="workflows"
      empty={{ title: t('empty'), more: t('emptyMore') }}
      columns={[
        { id: 'name', title: t('name'), cell: ({ name }) => name },
        {
          id: 'state',
          title: t('state'),
          cell: ({ id, state, draft }) => (
            <>
              <Badge>{t(`states.${state}`)}</Badge> {draft && <Badge>{t('changedBadge')}</Badge>}
              {failedOf(id) > 0 && (
                <span className={styles['state']}>
                  <RunSign state="failed" />
                  {t('failedRuns', { count: failedOf(id) })}
                </span>
              )}
            </>
          ),
        },
        { id: 'about', title: t('about'), cell: ({ description }) => description },
        {
          id: 'changed',
          title: t('changed'),
          isRight: true,
          cell: ({ updatedAt }) => <Time at={updatedAt} isShort />,
        },
      ]}
    />
  );
}
