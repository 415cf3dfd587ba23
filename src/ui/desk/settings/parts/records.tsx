import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

import { Empty, Failed, Loading } from '../../kit/states.tsx';
import type { SectionId } from '../section.ts';
import styles from './records.module.css';
import { isMissing } from './write.ts';

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers and times stand at the right. */
  isRight?: boolean;
}

/** The result of `useRecords`. */
interface Read {
  error: Error | null;
  refetch: () => unknown;
  isPending: boolean;
}

/**
 * A list of records as a table, on a phone as cards. The first column names the record; its link, if the record has a
 * page, covers the row.
 */
export function Records<Row extends { id: string }>({
  label,
  read,
  rows,
  columns,
  section,
  actions,
  empty,
}: {
  label: string;
  /** The query behind it, for the states of loading and failing. */
  read?: Read;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** The section whose record page a row opens. */
  section?: SectionId;
  /** Buttons of a row. */
  actions?: (row: Row) => ReactNode;
  /** Shown without rows: what this is for, and what to do. */
  empty: { title: string; more?: ReactNode };
}) {
  const t = useTranslations('settings');
  if (isMissing(read?.error)) return <Empty title={t('absent')}>{t('absentMore')}</Empty>;
  if (read?.error && rows.length === 0)
    return <Failed error={read.error} onRetry={() => void read.refetch()} />;
  if (read?.isPending) return <Loading rows={4} />;
  if (rows.length === 0) return <Empty title={empty.title}>{empty.more}</Empty>;
  const [first, ...others] = columns;
  return (
    <table className={styles['table']} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ id, title, isRight }) => (
            <th key={id} scope="col" data-right={isRight || undefined}>
              {title}
            </th>
          ))}
          {actions && <td>{/* The column of buttons has no name. */}</td>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} data-link={section ? '' : undefined}>
            <th scope="row">
              {section ? (
                <Link
                  to="/settings/{-$section}/{-$item}"
                  params={{ section, item: row.id }}
                  // The search of the settings names a record's tab.
                  hash
                  className={styles['link']}
                >
                  {first?.cell(row)}
                </Link>
              ) : (
                first?.cell(row)
              )}
            </th>
            {others.map(({ id, title, cell, isRight }) => {
              const content = cell(row);
              return (
                <td
                  key={id}
                  data-title={title}
                  data-right={isRight || undefined}
                  data-empty={content === null || content === '' || undefined}
                >
                  {content}
                </td>
              );
            })}
            {actions && <td className={styles['actions']}>{actions(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A quiet word about a record: "silent", "draft". */
export function Badge({ children }: { children: ReactNode }) {
  return <span className={styles['badge']}>{children}</span>;
}
