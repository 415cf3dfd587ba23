import { Link } from '@tanstack/react-router';
import { Folder } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { Failed, Loading } from '../../kit/states.tsx';
import { Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useWorkspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import { draftOf, newDraft, type RequestType } from './draft.ts';
import { Editor } from './editor.tsx';
import { useRequestTypes } from './records.ts';
import styles from './request-types.module.css';

const NEW = { new: 'request-type', 'new-collection': 'collection' } as const;

/** The request types of the workspace and their questions. */
export function RequestTypesSettings({ item }: SectionProps) {
  const t = useTranslations('requestTypes');
  const sections = useTranslations('settings.sections');
  const workspace = useWorkspace();
  const { read, isWhole, items } = useRequestTypes();
  if (item) {
    if (read.error && !read.data) return <Failed error={read.error} onRetry={() => void read.refetch()} />;
    if (!read.data) return <Loading rows={6} />;
    const record = read.data.items.find(({ id }) => id === item);
    if (record) return <Editor key={item} record={record} fresh={draftOf(record)} />;
    const type = NEW[item as keyof typeof NEW];
    if (type) return <Editor key={item} fresh={newDraft(type, workspace?.id ?? null)} />;
  }
  return (
    <Page
      title={sections('request-types')}
      intro={item ? t('gone') : t('intro')}
      size="wide"
      action={
        <span className={styles['actions']}>
          <NewLink item="new-collection" text={t('newCollection')} />
          <NewLink item="new" text={t('new')} isPrimary />
        </span>
      }
    >
      <WorkspaceChoice />
      {!isWhole && <p className={styles['quiet']}>{t('onlyForms')}</p>}
      <Records
        label={sections('request-types')}
        read={read}
        rows={inTree(items)}
        section="request-types"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: ({ name, emoji, type, depth }) => (
              <span className={styles['name']} style={{ paddingLeft: depth * 20 }}>
                {type === 'collection' ? (
                  <Folder size={14} aria-hidden />
                ) : (
                  emoji && <span aria-hidden>{emoji}</span>
                )}
                {name}
              </span>
            ),
          },
          {
            id: 'questions',
            title: t('questions'),
            cell: ({ type, customFields }) => (type === 'collection' ? '' : customFields.length),
          },
          {
            id: 'marks',
            title: t('marks'),
            cell: (record) => {
              const marks = marksOf(record);
              return marks.length === 0 ? null : (
                <span className={styles['marks']}>
                  {marks.map((mark) => (
                    <Badge key={mark}>{t(`mark.${mark}`)}</Badge>
                  ))}
                </span>
              );
            },
          },
        ]}
      />
    </Page>
  );
}

function NewLink({ item, text, isPrimary }: { item: string; text: string; isPrimary?: boolean }) {
  return (
    <Link
      to="/settings/{-$section}/{-$item}"
      params={{ section: 'request-types', item }}
      className={isPrimary ? styles['primary'] : styles['button']}
    >
      {text}
    </Link>
  );
}

/** The records as a tree: the members of a collection below it, collections last. */
function inTree(items: readonly RequestType[]): (RequestType & { depth: number })[] {
  const isLast = ({ type }: RequestType) => Number(type === 'collection');
  const under = (parent: string | null, depth: number): (RequestType & { depth: number })[] =>
    items
      .filter(({ parentId }) => (parent ? parentId === parent : !items.some(({ id }) => id === parentId)))
      .toSorted((one, other) => isLast(one) - isLast(other) || one.name.localeCompare(other.name))
      .flatMap((record) => [{ ...record, depth }, ...under(record.id, depth + 1)]);
  return under(null, 0);
}

/** The states of a request type that are worth a word. */
function marksOf({ type, published, formEnabled, isPrivate, isDefault }: RequestType) {
  if (type === 'collection') return [];
  return [
    !published && ('draft' as const),
    published && !formEnabled && ('noForm' as const),
    isPrivate && ('private' as const),
    isDefault && ('default' as const),
  ].filter((mark) => mark !== false);
}
