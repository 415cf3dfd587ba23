import { useTranslations } from 'use-intl';

import { Time } from '../../kit/time.tsx';
import { Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useRecords } from '../parts/write.ts';
import type { SectionProps } from '../section.ts';
import { WorkflowPage } from './workflow.tsx';

/** The workflows and their templates: which are active, and what became of their runs. */
export function WorkflowsSettings({ item }: SectionProps) {
  const t = useTranslations('workflows');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listWorkflows');
  const all = (read.data?.items ?? []).filter(({ state }) => state !== 'Deleted');
  const open = all.find(({ id }) => id === item);
  if (open) return <WorkflowPage key={open.id} workflow={open} />;
  return (
    <Page title={sections('workflows')} intro={item && read.data ? t('gone') : t('intro')} size="wide">
      <Records
        label={sections('workflows')}
        read={read}
        rows={all.toSorted((a, b) => Number(a.isTemplate) - Number(b.isTemplate))}
        section="workflows"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: ({ name, state, isTemplate }) => (
              <>
                {name} <Badge>{isTemplate ? t('template') : t(`states.${state}`)}</Badge>
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
    </Page>
  );
}
