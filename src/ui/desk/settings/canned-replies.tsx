import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { useChoices } from '../api/query.ts';
import type { BodyOf, ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Labelled, TextField } from '../../kit/field.tsx';
import { showToast } from '../../kit/toast.tsx';
import styles from './canned-replies.module.css';
import { SavedSign, SavedSwitch, SavedText } from './parts/fields.tsx';
import { Danger, Group, NewDialog, Page } from './parts/page.tsx';
import { Records } from './parts/records.tsx';
import { SavedSeveral } from './parts/several-of.tsx';
import { useSaved } from '../kit/use-saved.ts';
import { refresh, showRecord, useRecords, saveAndRefresh } from './parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from './parts/workspaces.tsx';
import type { SectionProps } from './section.ts';

type CannedReply = ItemOf<'listCannedReplies'>;
const LISTS = ['listCannedReplies'] as const;
const SHORTCUT = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const VARIABLE = /\{\{([^{}]*)\}\}/g;

/** The contract's variables (canned-reply.ts); a dot is no part of a message's key. */
const VARIABLES = [
  ['requester.first_name', 'requester_first_name'],
  ['requester.name', 'requester_name'],
  ['agent.first_name', 'agent_first_name'],
  ['agent.name', 'agent_name'],
  ['ticket.reference', 'ticket_reference'],
  ['ticket.title', 'ticket_title'],
  ['queue.name', 'queue_name'],
] as const;

const unknownIn = (content: string): string[] => [
  ...new Set(
    [...content.matchAll(VARIABLE)]
      .map(([, name = '']) => name.trim())
      .filter((name) => !VARIABLES.some(([variable]) => variable === name)),
  ),
];

/** "Reset the VPN" has the shortcut `reset-the-vpn`. */
const shortcutFrom = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s-]/g, '')
    .split(/[\s-]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, 50)
    .replace(/-$/, '');

/** Saved texts for replies: the team's, and one's own. */
export function CannedRepliesSettings({ item }: SectionProps) {
  const t = useTranslations('settings.canned');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listCannedReplies');
  const isHere = useIsHere();
  const queues = new Map(useChoices('listQueues').map(({ id, name }) => [id, name]));
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const open = all.find(({ id }) => id === item);
  if (open) return <CannedReplyPage key={open.id} reply={open} />;
  return (
    <Page
      title={sections('canned-replies')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        <Button kind="primary" onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('new')}
        </Button>
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('canned-replies')}
        read={read}
        rows={all.filter(isHere).toSorted((one, other) => one.title.localeCompare(other.title))}
        section="canned-replies"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          { id: 'title', title: t('title'), cell: ({ title }) => title },
          { id: 'shortcut', title: t('shortcut'), cell: ({ shortcut }) => <code>/{shortcut}</code> },
          {
            id: 'queues',
            title: t('queues'),
            cell: ({ queueIds }) => queueIds.map((id) => queues.get(id) ?? '…').join(', ') || t('allQueues'),
          },
          {
            id: 'visibility',
            title: t('visibility'),
            cell: ({ isShared }) => (isShared ? t('team') : t('personal')),
          },
        ]}
      />
      {isNew && <NewCannedReply onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewCannedReply({ onClose }: { onClose: () => void }) {
  const t = useTranslations('settings.canned');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [title, setTitle] = useState('');
  const [typed, setTyped] = useState<string>();
  const [content, setContent] = useState('');
  const shortcut = typed ?? shortcutFrom(title);
  const create = async () => {
    const body = {
      title: title.trim(),
      shortcut,
      content,
      isShared: true,
      ...(workspace && { workspaceId: workspace.id }),
    };
    const { id } = await saveAndRefresh('createCannedReply', { body }, LISTS);
    void navigate({
      to: '/settings/{-$section}/{-$item}',
      params: { section: 'canned-replies', item: id },
    });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(title.trim() && content.trim()) && SHORTCUT.test(shortcut)}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('title')}
        value={title}
        onChange={setTitle}
        autoFocus
        maxLength={200}
        placeholder={t('titleExample')}
      />
      <TextField
        label={t('shortcut')}
        help={t('shortcutHelp')}
        value={shortcut}
        onChange={setTyped}
        maxLength={50}
        autoComplete="off"
        error={shortcut && !SHORTCUT.test(shortcut) ? t('shortcutWrong') : undefined}
      />
      <Content value={content} onChange={setContent} />
    </NewDialog>
  );
}

function CannedReplyPage({ reply }: { reply: CannedReply }) {
  const t = useTranslations('settings.canned');
  const navigate = useNavigate();
  const { id, title, shortcut, content, isShared, queueIds, workspaceId } = reply;
  const queues = useChoices('listQueues').filter(
    (queue) => queue.workspaceId === workspaceId && !queue.deletedAt,
  );
  const change = async (body: NonNullable<BodyOf<'updateCannedReply'>>) => {
    const record = await call('updateCannedReply', { params: { id }, body });
    showRecord('listCannedReplies', record);
  };
  return (
    <Page backTo="canned-replies" title={title}>
      <Group>
        <SavedText
          label={t('title')}
          value={title}
          isRequired
          maxLength={200}
          save={(text) => change({ title: text })}
        />
        <SavedText
          label={t('shortcut')}
          help={t('shortcutHelp')}
          value={shortcut}
          isRequired
          maxLength={50}
          autoComplete="off"
          check={(text) => (SHORTCUT.test(text) ? undefined : t('shortcutWrong'))}
          save={(text) => change({ shortcut: text })}
        />
        <SavedContent value={content} save={(text) => change({ content: text })} />
      </Group>
      <Group>
        <SavedSwitch
          label={t('shared')}
          help={t('sharedHelp')}
          value={isShared}
          save={(isOn) => change({ isShared: isOn })}
        />
        {queues.length > 0 && (
          <SavedSeveral
            label={t('queues')}
            help={t('queuesHelp')}
            add={t('addQueue')}
            options={queues.map((queue) => ({ id: queue.id, text: queue.name, detail: queue.prefix }))}
            value={queueIds}
            save={(ids) => change({ queueIds: [...ids] })}
          />
        )}
      </Group>
      <Danger
        title={t('delete')}
        help={t('deleteHelp')}
        name={title}
        onConfirm={async () => {
          await call('deleteCannedReply', { params: { id } });
          await navigate({
            to: '/settings/{-$section}/{-$item}',
            params: { section: 'canned-replies', item: undefined },
          });
          await refresh(LISTS);
          showToast({ kind: 'done', text: t('deleted', { name: title }) });
        }}
      />
    </Page>
  );
}

/** The text, written when the focus leaves it and its variables. */
function SavedContent({ value, save }: { value: string; save: (text: string) => Promise<unknown> }) {
  const saved = useSaved();
  const [typed, setTyped] = useState<string>();
  const commit = async () => {
    if (typed === undefined || !typed.trim()) return;
    if (typed === value) {
      setTyped(undefined);
      return;
    }
    if (await saved.save(() => save(typed))) setTyped((now) => (now === typed ? undefined : now));
  };
  return (
    <div
      className={styles['saved']}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) void commit();
      }}
    >
      <Content value={typed ?? value} onChange={setTyped} />
      <SavedSign of={saved} />
    </div>
  );
}

/** A Markdown text with the variables that can be inserted, and how it reads. */
function Content({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const t = useTranslations('settings.canned');
  const box = useRef<HTMLDivElement>(null);
  const unknown = unknownIn(value);
  const insert = (variable: string) => {
    const field = box.current?.querySelector('textarea');
    const [from, to] = [field?.selectionStart ?? value.length, field?.selectionEnd ?? value.length];
    const text = `{{${variable}}}`;
    onChange(value.slice(0, from) + text + value.slice(to));
    requestAnimationFrame(() => {
      field?.focus();
      field?.setSelectionRange(from + text.length, from + text.length);
    });
  };
  const sample = value.replaceAll(VARIABLE, (whole, name: string) => {
    const known = VARIABLES.find(([variable]) => variable === name.trim());
    return known ? t(`sample.${known[1]}`) : whole;
  });
  return (
    <div ref={box} className={styles['content']}>
      <TextField
        label={t('content')}
        help={t('contentHelp')}
        value={value}
        onChange={onChange}
        rows={7}
        error={
          unknown.length > 0 ? t('unknown', { count: unknown.length, names: unknown.join(', ') }) : undefined
        }
      />
      <Labelled label={t('variables')}>
        <div className={styles['variables']}>
          {VARIABLES.map(([variable, key]) => (
            <Button key={variable} size="small" onPress={() => insert(variable)}>
              {t(`variable.${key}`)}
            </Button>
          ))}
        </div>
      </Labelled>
      {value !== sample && (
        <Labelled label={t('preview')}>
          <p className={styles['preview']}>{sample}</p>
        </Labelled>
      )}
    </div>
  );
}
