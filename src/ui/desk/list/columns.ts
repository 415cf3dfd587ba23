import { useMemo } from 'react';

import { useMedia } from '../kit/media.ts';

/** The columns that can be chosen, in their order; the reference and the title are always there, before them. */
export const COLUMNS = [
  'requester',
  'queue',
  'status',
  'priority',
  'assignee',
  'tags',
  'due',
  'lastReply',
  'updated',
  'age',
] as const;
export type Column = (typeof COLUMNS)[number];
export type ShownColumn = Column | 'code' | 'title';

/** How wide each is in the grid of a row. */
const WIDTHS: Record<ShownColumn, string> = {
  code: '66px',
  title: 'minmax(150px, 2fr)',
  requester: '112px',
  queue: '88px',
  status: '106px',
  priority: '58px',
  assignee: '112px',
  tags: '124px',
  due: '76px',
  lastReply: 'minmax(120px, 1fr)',
  updated: '62px',
  age: '40px',
};

export const templateOf = (columns: readonly ShownColumn[]): string =>
  columns.map((column) => WIDTHS[column]).join(' ');

/** The sort key of each column, with its first direction. */
export const SORT_OF: Partial<Record<ShownColumn, readonly [sortBy: string, first: 'asc' | 'desc']>> = {
  code: ['number', 'desc'],
  title: ['title', 'asc'],
  queue: ['queueId', 'asc'],
  status: ['statusId', 'asc'],
  priority: ['priority', 'asc'],
  assignee: ['assigneeId', 'asc'],
  due: ['due', 'asc'],
  updated: ['updatedAt', 'desc'],
  age: ['createdAt', 'desc'],
};

/** The columns of a list: those that were chosen, otherwise those for which there is room. */
export function useColumns(chosen: readonly string[] | undefined): readonly ShownColumn[] {
  const isRoomy = useMedia('(min-width: 1400px)');
  const isVast = useMedia('(min-width: 1680px)');
  return useMemo(() => {
    const shown = COLUMNS.filter((column) => {
      if (chosen) return chosen.includes(column);
      if (column === 'tags' || column === 'lastReply') return isRoomy;
      return column === 'queue' ? isVast : column !== 'updated';
    });
    return ['code', 'title', ...shown];
  }, [chosen, isRoomy, isVast]);
}
