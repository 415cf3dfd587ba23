import { useNavigate } from '@tanstack/react-router';
import { ChevronRight, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import { useChoices, useOperation } from '../../api/query.ts';
import type { BodyOf, ItemOf } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Empty, Failed, Loading } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Danger, Group, NewDialog, Page } from '../parts/page.tsx';
import { SavedSeveral } from '../parts/several-of.tsx';
import { toastRefusal } from '../../kit/toast-refusal.ts';
import { refresh, showRecord, saveAndRefresh } from '../parts/write.ts';
import styles from './knowledge.module.css';

type Base = ItemOf<'listKnowledgeBases'>;
type Document = ItemOf<'listKnowledgeBaseDocuments'>;
const LISTS = ['listKnowledgeBaseDocuments', 'listKnowledgeBases'] as const;

/** One knowledge base: what uses it, and its documents. */
export function KnowledgeBasePage({ base }: { base: Base }) {
  const t = useTranslations('ai.knowledge');
  const navigate = useNavigate();
  const { id, name, global, queues, workspaceId, system } = base;
  const all = useChoices('listQueues').filter((queue) => queue.workspaceId === workspaceId);
  const change = async (part: Partial<NonNullable<BodyOf<'saveKnowledgeBase'>>>) =>
    showRecord('listKnowledgeBases', await call('saveKnowledgeBase', { body: { id, name, ...part } }));
  return (
    <Page backTo="knowledge" title={name}>
      <Group>
        <SavedText
          label={t('name')}
          value={name}
          isRequired
          maxLength={200}
          autoComplete="off"
          save={(text) => change({ name: text })}
        />
        <SavedSwitch
          label={t('global')}
          help={t('globalHelp')}
          value={global}
          save={(isOn) => change({ global: isOn })}
        />
        {!global && (
          <SavedSeveral
            label={t('queues')}
            add={t('addQueue')}
            options={all.map((queue) => ({ id: queue.id, text: queue.name, detail: queue.prefix }))}
            value={queues.map((queue) => queue.id)}
            save={(ids) => change({ queueIds: [...ids] })}
          />
        )}
      </Group>
      <Documents id={id} />
      {!system && (
        <Danger
          title={t('remove')}
          help={t('removeHelp')}
          name={name}
          onConfirm={async () => {
            await call('deleteKnowledgeBase', { params: { id } });
            await navigate({
              to: '/settings/{-$section}/{-$item}',
              params: { section: 'knowledge', item: undefined },
            });
            await refresh(['listKnowledgeBases']);
            showToast({ kind: 'done', text: t('removed', { name }) });
          }}
        />
      )}
    </Page>
  );
}

function Documents({ id }: { id: string }) {
  const t = useTranslations('ai.knowledge');
  const common = useTranslations('common');
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = useOperation('listKnowledgeBaseDocuments', {
    params: { id },
    query: { sortBy: 'title', sortDirection: 'asc', limit: 1000 },
  });
  const remove = async ({ id: documentId, title, content, url }: Document) => {
    const write = () => saveAndRefresh('deleteKnowledgeBaseDocument', { params: { id, documentId } }, LISTS);
    if (!(await toastRefusal(write))) return;
    showToast({
      kind: 'done',
      text: t('removed', { name: title }),
      undo: () => {
        const body = { title, content, ...(url && { url }) };
        const create = () => saveAndRefresh('createKnowledgeBaseDocument', { params: { id }, body }, LISTS);
        return toastRefusal(create, title);
      },
    });
  };
  return (
    <Group title={t('documents')}>
      {error && !data && <Failed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data?.items.length === 0 && <Empty title={t('noDocuments')}>{t('noDocumentsMore')}</Empty>}
      <ul className={styles['documents']}>
        {data?.items.map((each) => (
          <li key={each.id}>
            <details>
              <summary>
                <ChevronRight size={14} aria-hidden />
                <span>{each.title}</span>
                <Time at={each.updatedAt} />
              </summary>
              <p className={styles['content']}>{each.content}</p>
              {each.url && (
                <p>
                  <a href={each.url} target="_blank" rel="noopener noreferrer">
                    {each.url}
                  </a>
                </p>
              )}
              <Button
                size="small"
                aria-label={t('removeName', { name: each.title })}
                onPress={() => void remove(each)}
              >
                {common('remove')}
              </Button>
            </details>
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('addDocument')}
        </Button>
      </div>
      {isNew && <NewDocument id={id} onClose={() => setNew(false)} />}
    </Group>
  );
}

function NewDocument({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTranslations('ai.knowledge');
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const [url, setUrl] = useState('');
  const address = url.trim();
  const isWrong = address !== '' && !/^https?:\/\/\S+$/i.test(address);
  const create = () =>
    saveAndRefresh(
      'createKnowledgeBaseDocument',
      {
        params: { id },
        body: { title: title.trim(), content: content.trim(), ...(address && { url: address }) },
      },
      LISTS,
    );
  return (
    <NewDialog
      title={t('addDocument')}
      action={t('addDocument')}
      isReady={Boolean(title.trim() && content.trim()) && !isWrong}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('documentTitle')}
        help={t('documentTitleHelp')}
        value={title}
        onChange={setTitle}
        autoFocus
        maxLength={500}
        autoComplete="off"
      />
      <TextField label={t('text')} value={content} onChange={setContent} rows={10} maxLength={100_000} />
      <TextField
        label={t('url')}
        help={t('urlHelp')}
        type="url"
        value={url}
        onChange={setUrl}
        autoComplete="off"
        error={isWrong ? t('urlWrong') : undefined}
      />
    </NewDialog>
  );
}
