import { useFormatter, useTranslations } from 'use-intl';

import type { Answer } from '../api/types.ts';
import { shortAge } from '../kit/time.tsx';

export type Activity = Answer<'readTicketActivity'>['items'][number];
type Value = Activity['from'];

const LABELLED = new Set([
  'statusId',
  'assigneeId',
  'priority',
  'queueId',
  'dueAt',
  'requestTypeId',
  'requesterId',
  'authorId',
]);
const RELATIONS = new Set(['related', 'duplicate', 'duplicated-by', 'blocks', 'blocked-by']);

/** Returns the other ticket that an entry names, if the person may see it. */
export function ticketNamedIn({ field, from, to }: Activity): { id: string; name: string } | undefined {
  const isAboutTicket = field === 'mergedIntoId' || field === 'mergedFrom' || RELATIONS.has(field ?? '');
  const value = to ?? from;
  return isAboutTicket && value !== null && typeof value !== 'string' ? value : undefined;
}

/** The name of a field that only another service has, in words: `costCentre` is "cost centre". */
function wordsOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
}

/** Returns an entry of a ticket's activity as a sentence. */
export function useActivityText(): (entry: Activity) => string {
  const t = useTranslations('ticket');
  const common = useTranslations('common');
  const format = useFormatter();

  function textOf(field: string | null, value: Value): string {
    if (value === null) return '';
    if (typeof value !== 'string') return value.name;
    if (field === 'priority' && common.has(`priority.${value}` as never))
      return common(`priority.${value}` as never);
    if ((field === 'dueAt' || field === 'snoozeUntil') && !Number.isNaN(Date.parse(value)))
      return format.dateTime(new Date(value), { dateStyle: 'medium', timeStyle: 'short' });
    return value;
  }

  /** The end of a pause that began then, with its length if that is worth saying. */
  function continued(since: string, at: string): string {
    const ms = Date.parse(at) - Date.parse(since);
    return ms >= 60_000 ? t('activity.continuedAfter', { length: shortAge(ms) }) : t('activity.continued');
  }

  return ({ actor: { id, name: actor }, kind, field, from: before, to: after, at }) => {
    const [from, to] = [textOf(field, before), textOf(field, after)];
    const relation =
      field !== null && RELATIONS.has(field) ? t(`relation.${field}` as never).toLocaleLowerCase() : '';
    if (kind === 'merged')
      return field === 'mergedFrom'
        ? t('activity.mergedFrom', { actor, from: from || to })
        : t('activity.merged', { actor, to });
    if (kind === 'unmerged')
      return field === 'mergedFrom'
        ? t('activity.unmergedFrom', { actor, from })
        : t('activity.unmerged', { actor, from });
    if (kind === 'linked') return t('activity.linked', { actor, relation, to });
    if (kind === 'created') return t('activity.created', { actor });
    if (kind === 'called')
      return t(after === 'refused' ? 'activity.calledRefused' : 'activity.called', {
        actor,
        tool: (field ?? '').replaceAll('_', ' '),
      });
    if (kind === 'unlinked') return t('activity.unlinked', { actor, relation, from });
    switch (field) {
      case 'assigneeId':
        if (!after)
          return typeof before === 'object' && before?.id === id
            ? t('activity.unassignedSelf', { actor })
            : t('activity.unassigned', { actor, from });
        return typeof after === 'object' && after.id === id
          ? t('activity.took', { actor })
          : t('activity.assigned', { actor, to });
      case 'snoozeUntil':
        return after ? t('activity.snoozed', { actor, to }) : t('activity.unsnoozed', { actor });
      case 'tags':
        return after
          ? t('activity.tagged', { actor, to })
          : t('activity.cleared', { actor, field: t('field.tags'), from });
      case 'approvers':
        return after
          ? t('activity.approverAdded', { actor, to })
          : t('activity.cleared', { actor, field: t('field.approvers'), from });
      case 'title':
        return t('activity.renamed', { actor, to });
      case 'description':
        return t('activity.described', { actor });
      case 'customFields':
        return t('activity.answered', { actor, field: to });
      case 'private':
        return after === 'true' ? t('activity.madePrivate', { actor }) : t('activity.madePublic', { actor });
      case 'messageEdited':
      case 'messageShared':
      case 'messageHidden':
      case 'messageDeleted':
      case 'fileDeleted':
        return t(`activity.${field}`, { actor, to: to || t('someone') });
      case 'opened':
        return t('activity.opened', { actor });
      case 'archivedAt':
        return after ? t('activity.archived', { actor }) : t('activity.restored', { actor });
      case 'slaPausedAt':
        if (after) return t('activity.paused');
        return continued(from, at);
      case 'approval':
        return after === 'approved' ? t('activity.approved', { actor }) : t('activity.declined', { actor });
      default: {
        if (field === null || !LABELLED.has(field))
          return t('activity.other', { actor, field: wordsOf(field ?? 'ticket') });
        const label = t(`field.${field}` as never);
        if (before && after) return t('activity.changed', { actor, field: label, from, to });
        return after
          ? t('activity.set', { actor, field: label, to })
          : t('activity.cleared', { actor, field: label, from });
      }
    }
  };
}
