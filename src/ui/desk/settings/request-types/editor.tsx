import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import { useChoices } from '../../api/query.ts';
import { Button } from '../../../kit/button.tsx';
import { Switch, TextField } from '../../../kit/field.tsx';
import { PrioritySign, StatusSign } from '../../kit/signs.tsx';
import type { Option } from '../../../kit/picker.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { Choice } from '../parts/fields.tsx';
import { Danger, Fields, Group, Page, PageTabs } from '../parts/page.tsx';
import { SeveralOf } from '../parts/several-of.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import { refresh } from '../parts/write.ts';
import { type Draft, hasChoices, type RequestType } from './draft.ts';
import { FormPreview } from './form-preview.tsx';
import { Questions } from './questions.tsx';
import { useRequestTypes } from './records.ts';
import styles from './request-types.module.css';
import { saveDraft, type SaveTexts } from './save.ts';
import { type Editing, useDraft } from './use-draft.ts';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;

/** One request type with its questions and the preview of its form; or a collection. */
export function Editor({ record, fresh }: { record?: RequestType; fresh: Draft }) {
  const t = useTranslations('requestTypes');
  const editing = useDraft(fresh, record);
  const { draft } = editing;
  const [opened, setOpened] = useState<string | null>(null);
  const isCollection = draft.type === 'collection';
  const title = record ? draft.name || t('unnamed') : isCollection ? t('newCollection') : t('new');
  return (
    <Page
      backTo="request-types"
      size="wide"
      title={
        <>
          {draft.emoji && <span aria-hidden>{draft.emoji} </span>}
          {title}
        </>
      }
    >
      <div className={isCollection ? styles['editor'] : styles['with-preview']}>
        <div className={styles['editor']}>
          {isCollection ? (
            <Group>
              <Names editing={editing} />
              <Collection editing={editing} />
            </Group>
          ) : (
            <PageTabs
              label={title}
              tabs={[
                {
                  id: 'form',
                  title: t('tabs.form'),
                  content: (
                    <>
                      <Group>
                        <Names editing={editing} />
                      </Group>
                      <Questions editing={editing} opened={opened} setOpened={setOpened} />
                    </>
                  ),
                },
                { id: 'tickets', title: t('tabs.tickets'), content: <ItsTickets editing={editing} /> },
                { id: 'offer', title: t('tabs.offer'), content: <Offer editing={editing} /> },
              ]}
            />
          )}
          <SaveBar editing={editing} onWrong={setOpened} />
          {record && <Remove editing={editing} record={record} />}
        </div>
        {!isCollection && <FormPreview draft={draft} />}
      </div>
    </Page>
  );
}

function useSaveTexts(): SaveTexts {
  const t = useTranslations('requestTypes');
  return {
    gone: t('refused.gone'),
    changed: t('refused.changed'),
    noQuestions: t('refused.noQuestions'),
    cannotChange: t('refused.cannotChange'),
    unnamed: t('unnamedQuestion'),
    question: (name, reason) => t('refused.question', { name, reason }),
  };
}

function SaveBar({ editing, onWrong }: { editing: Editing; onWrong: (question: string) => void }) {
  const t = useTranslations('requestTypes');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const saved = useSaved();
  const texts = useSaveTexts();
  const [missing, setMissing] = useState<string>();
  const { draft, isChanged, put, putQuestion, settle, discard } = editing;
  const save = async () => {
    const wrong = draft.questions.find(
      ({ type, label, options }) =>
        (type !== 'DIVIDER' && !label.trim()) || (hasChoices(type) && options.length === 0),
    );
    setMissing(
      !draft.name.trim() ? t('needs.name') : wrong ? t('needs.question', { name: wrong.label }) : undefined,
    );
    if (wrong) onWrong(wrong.id);
    if (!draft.name.trim() || wrong) return;
    await saved.save(async () => {
      const { record, sent } = await saveDraft(draft, texts, {
        version: (version) => put({ version }),
        question: putQuestion,
      });
      settle(record, sent);
      if (!draft.id)
        void navigate({
          to: '/settings/{-$section}/{-$item}',
          params: { section: 'request-types', item: record.id },
          hash: true,
          replace: true,
        });
    });
  };
  const error = missing ?? saved.error;
  return (
    <div className={styles['bar']}>
      {error && (
        <p role="alert" className={styles['error']}>
          {error}
        </p>
      )}
      <Button kind="primary" isPending={saved.isSaving} onPress={() => void save()}>
        {common('save')}
      </Button>
      <Button
        isDisabled={!isChanged || saved.isSaving}
        onPress={() => {
          discard();
          showToast({ kind: 'done', text: t('discarded'), undo: () => put(draft) });
        }}
      >
        {t('discard')}
      </Button>
      <span role="status" className={styles['quiet']}>
        {isChanged ? t('notSaved') : saved.state === 'saved' && common('saved')}
      </span>
    </div>
  );
}

function Names({ editing: { draft, put } }: { editing: Editing }) {
  const t = useTranslations('requestTypes.fields');
  const isCollection = draft.type === 'collection';
  return (
    <>
      <div className={styles['name-fields']}>
        <TextField
          label={t('name')}
          value={draft.name}
          onChange={(name) => put({ name })}
          autoFocus={!draft.id}
          maxLength={500}
          isRequired
          validationBehavior="aria"
        />
        <TextField
          label={t('emoji')}
          value={draft.emoji ?? ''}
          onChange={(emoji) => put({ emoji: emoji || null })}
          maxLength={40}
          autoComplete="off"
        />
      </div>
      <TextField
        label={t('description')}
        {...(!isCollection && { help: t('descriptionHelp') })}
        value={draft.description ?? ''}
        onChange={(description) => put({ description: description || null })}
        rows={2}
      />
    </>
  );
}

/** The collections that can contain it: neither itself nor one inside it. */
function Collection({ editing: { draft, put } }: { editing: Editing }) {
  const t = useTranslations('requestTypes.fields');
  const common = useTranslations('common');
  const { items } = useRequestTypes();
  const isInside = (record: RequestType) => {
    for (let at: RequestType | undefined = record; at;) {
      if (at.id === draft.id) return true;
      const { parentId }: RequestType = at;
      at = items.find(({ id }) => id === parentId);
    }
    return false;
  };
  const offered = items.filter((record) => record.type === 'collection' && !isInside(record));
  return (
    <Choice
      label={t('collection')}
      value={draft.parentId ?? ''}
      options={[{ id: '', text: common('none') }, ...offered.map(({ id, name }) => ({ id, text: name }))]}
      onChange={(id) => put({ parentId: id || null })}
    />
  );
}

function ItsTickets({ editing }: { editing: Editing }) {
  const { draft, put } = editing;
  const t = useTranslations('requestTypes.fields');
  const common = useTranslations('common');
  const isOfDraft = ({ workspaceId }: { workspaceId: string }) =>
    !draft.workspaceId || workspaceId === draft.workspaceId;
  const queues = useChoices('listQueues').filter((queue) => isOfDraft(queue) && !queue.deletedAt);
  const statuses = useChoices('listStatuses').filter(({ statusGroup }) => isOfDraft(statusGroup));
  const tags = useChoices('listTags').filter(isOfDraft);
  const orNone = (options: Option[]) => [{ id: '', text: common('none') }, ...options];
  return (
    <>
      <Group>
        <Fields>
          <Choice
            label={t('queue')}
            value={draft.defaultQueueId ?? ''}
            options={orNone(queues.map(({ id, name, prefix }) => ({ id, text: name, detail: prefix })))}
            onChange={(id) => put({ defaultQueueId: id || null })}
          />
          <Choice
            label={t('priority')}
            value={draft.defaultPriority ?? ''}
            options={orNone(
              PRIORITIES.map((id) => ({
                id,
                text: common(`priority.${id}`),
                sign: <PrioritySign priority={id} />,
              })),
            )}
            onChange={(id) => put({ defaultPriority: PRIORITIES.find((each) => each === id) ?? null })}
          />
          <Choice
            label={t('status')}
            value={draft.defaultStatusId ?? ''}
            options={orNone(
              statuses.map(({ id, label, statusGroup }) => ({
                id,
                text: label,
                sign: <StatusSign group={statusGroup.label} />,
              })),
            )}
            onChange={(id) => put({ defaultStatusId: id || null })}
          />
        </Fields>
        {(tags.length > 0 || draft.tags.length > 0) && (
          <SeveralOf
            label={t('tags')}
            add={t('addTag')}
            options={tags.map(({ id, name }) => ({ id, text: name }))}
            selected={draft.tags}
            onChange={(ids) => put({ tags: ids })}
          />
        )}
      </Group>
      <Group>
        <TextField
          label={t('titleTemplate')}
          help={t('titleTemplateHelp', { example: 'New device for {{requester}}: {{device}}' })}
          value={draft.titleTemplate ?? ''}
          onChange={(titleTemplate) => put({ titleTemplate: titleTemplate || null })}
          maxLength={500}
          autoComplete="off"
        />
        <TextField
          label={t('examples')}
          help={t('examplesHelp')}
          value={draft.aiExamples ?? ''}
          onChange={(aiExamples) => put({ aiExamples: aiExamples || null })}
          rows={3}
        />
      </Group>
    </>
  );
}

const SWITCHES = ['published', 'formEnabled', 'isDefault', 'isPrivate'] as const;

function Offer({ editing }: { editing: Editing }) {
  const t = useTranslations('requestTypes.switches');
  return (
    <Group>
      <Collection editing={editing} />
      {SWITCHES.map((key) => (
        <Switch
          key={key}
          label={t(`${key}.label`)}
          help={t(`${key}.help`)}
          isSelected={editing.draft[key]}
          onChange={(isOn) => editing.put({ [key]: isOn })}
        />
      ))}
    </Group>
  );
}

function Remove({ editing, record: { id, name, type } }: { editing: Editing; record: RequestType }) {
  const t = useTranslations('requestTypes.remove');
  const navigate = useNavigate();
  const remove = async () => {
    await call('deleteRequestType', { params: { id } });
    editing.forget();
    await navigate({
      to: '/settings/{-$section}/{-$item}',
      params: { section: 'request-types', item: undefined },
    });
    await refresh(['listRequestTypes', 'listForms']);
    showToast({ kind: 'done', text: t('done', { name }) });
  };
  return (
    <Danger
      title={type === 'collection' ? t('collection') : t('requestType')}
      help={type === 'collection' ? t('collectionHelp') : t('requestTypeHelp')}
      name={name}
      onConfirm={remove}
    />
  );
}
