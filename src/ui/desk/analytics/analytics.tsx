import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';

import { choices } from '../api/query.ts';
import type { ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Picker } from '../../kit/picker.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { analyticsTexts } from '../messages/later.ts';
import styles from './analytics.module.css';
import { Builder } from './builder.tsx';
import { Overview } from './overview.tsx';
import { type Question, readQuestion } from './question.ts';
import { Sla } from './sla.tsx';

export function Analytics() {
  return (
    <MoreTexts texts={analyticsTexts}>
      <Figures />
    </MoreTexts>
  );
}

const TABS = ['overview', 'builder', 'sla'] as const;

/** The page *Analytics*: an overview of four figures and two charts, a query builder, and the SLA report. */
function Figures() {
  const t = useTranslations('analytics');
  const navigate = useNavigate();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const { data: workspaces, error, refetch } = useQuery(choices('listWorkspaces'));
  useEffect(() => {
    document.title = t('title');
  }, [t]);
  const question = readQuestion(search);
  const update = (part: Partial<Question> & { tab?: string | undefined }) =>
    void navigate({ to: '/analytics', search: { ...search, ...part } as never, replace: true });
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!workspaces) return <Loading />;
  const all = workspaces as ItemOf<'listWorkspaces'>[];
  const workspace = all.find(({ id }) => id === question.workspaceId) ?? all[0];
  if (!workspace) return <Empty title={t('noWorkspace')} />;
  return (
    <main className={styles['page']}>
      <header className={styles['header']}>
        <h1>{t('title')}</h1>
        {all.length > 1 && (
          <Picker
            label={t('workspace')}
            selected={[workspace.id]}
            options={all.map(({ id, name }) => ({ id, text: name }))}
            onChange={([workspaceId]) => update({ workspaceId, queueId: undefined })}
          >
            <Button size="small">{workspace.name}</Button>
          </Picker>
        )}
      </header>
      <Tabs
        label={t('title')}
        selected={TABS.find((tab) => tab === search['tab']) ?? 'overview'}
        onSelect={(tab) => update({ tab: tab === 'overview' ? undefined : tab })}
        tabs={[
          {
            id: 'overview',
            title: t('overview'),
            content: (
              <Overview
                workspaceId={workspace.id}
                range={question.range}
                onRange={(range) => update({ range })}
              />
            ),
          },
          {
            id: 'builder',
            title: t('builder'),
            content: <Builder workspaceId={workspace.id} question={question} ask={update} />,
          },
          {
            id: 'sla',
            title: t('sla.title'),
            content: <Sla workspaceId={workspace.id} question={question} ask={update} />,
          },
        ]}
        panel={styles['panel']}
      />
    </main>
  );
}
