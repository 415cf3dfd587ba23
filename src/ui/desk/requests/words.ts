import { useFormatter, useNow, useTranslations } from 'use-intl';

import { promisedReply } from '../../../contract/expected-reply.ts';
import { authorOfMessage } from '../api/author.ts';
import { nameOf } from '../api/people.ts';
import type { Message, Person, Ticket, TicketDetail } from '../api/types.ts';
import { hasEnded } from '../ticket/may.ts';

const MINUTE = 60_000;

export type People = ReadonlyMap<string, Person>;

/** The people whom the words about some requests name. */
export const peopleIn = (tickets: readonly Ticket[]): string[] =>
  tickets
    .flatMap(({ requesterId, authorId, assigneeId, approvers, lastReply }) => [
      requesterId,
      authorId,
      assigneeId,
      lastReply?.authorId ?? null,
      ...approvers.map(({ id }) => id),
    ])
    .filter((id) => id !== null);

/** Returns who decided about a request, if known. */
export const deciderOf = ({ metadata }: TicketDetail): string[] =>
  metadata.approval?.userId ? [metadata.approval.userId] : [];

/** Whether a request waits for the decision of this person. */
export const waitsForMe = (ticket: Ticket, me: string | undefined): boolean =>
  me !== undefined &&
  !hasEnded(ticket) &&
  isUndecided(ticket) &&
  ![ticket.requesterId, ticket.authorId].includes(me) &&
  ticket.approvers.some(({ id }) => id === me);

const isUndecided = ({ approvedAt, declinedAt }: Ticket) => approvedAt === null && declinedAt === null;

/** Returns who works on a request: its assignee, else the team. */
function useWho() {
  const t = useTranslations('requests');
  return ({ assigneeId, queue }: Ticket, people: People): string => {
    const assignee = assigneeId === null ? undefined : people.get(assigneeId);
    return assignee ? nameOf(assignee) : (queue?.name ?? t('theTeam'));
  };
}

function useApprovers() {
  const format = useFormatter();
  return (ticket: Ticket, people: People): string | undefined =>
    ticket.approvers.length > 0 && isUndecided(ticket)
      ? format.list(ticket.approvers.map(({ id }) => nameOf(people.get(id))))
      : undefined;
}

/** The state of a request in a few words, for a list. */
export function useShortWords() {
  const t = useTranslations('requests');
  const whoOf = useWho();
  const approversOf = useApprovers();
  return (ticket: Ticket, people: People, me: string | undefined): string => {
    const group = ticket.status.statusGroup.label;
    if (waitsForMe(ticket, me)) return t('short.approval');
    if (ticket.mergedIntoId !== null) return t('short.merged');
    if (group === 'Done') return t('short.Done');
    if (hasEnded(ticket)) return t('short.Closed');
    // Whatever its status: it changes what to expect.
    if (ticket.declinedAt !== null) return t('short.declined');
    if (group === 'Waiting')
      return ticket.requesterId === me
        ? t('short.Waiting', { team: ticket.queue?.name ?? t('theTeam') })
        : t('short.WaitingOther');
    const names = group === 'In Progress' ? undefined : approversOf(ticket, people);
    if (names !== undefined) return t('short.waitsFor', { names });
    const { lastReply } = ticket;
    if (lastReply && lastReply.authorId !== ticket.requesterId) {
      const writer = authorOfMessage(lastReply, people);
      return t('short.answered', { who: writer ? nameOf(writer) : (ticket.queue?.name ?? t('theTeam')) });
    }
    return t(group === 'In Progress' ? 'short.working' : 'short.has', { who: whoOf(ticket, people) });
  };
}

/** "tomorrow at 1:00 PM", in the time zone of the reader. */
function useMoment() {
  const t = useTranslations('requests');
  const format = useFormatter();
  return (at: Date, now: Date): string => {
    const time = format.dateTime(at, { hour: 'numeric', minute: '2-digit' });
    const dayOf = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
    const days = Math.round((dayOf(at) - dayOf(now)) / (24 * 60 * MINUTE));
    if (days === 0) return t('today', { time });
    if (days === 1) return t('tomorrow', { time });
    const day = format.dateTime(at, { weekday: 'long', month: 'short', day: 'numeric' });
    return t('later', { day, time });
  };
}

/** Describes the next step of a request in one or two sentences, as its card in chat does. */
export function useNextStep() {
  const t = useTranslations('requests');
  const whoOf = useWho();
  const approversOf = useApprovers();
  const momentOf = useMoment();
  const now = useNow({ updateInterval: MINUTE });

  function promiseOf({ respondedAt, expectedReplyAt }: TicketDetail): string | undefined {
    if (respondedAt !== null || !expectedReplyAt) return undefined;
    const { at, isOver } = promisedReply(expectedReplyAt, now);
    return isOver ? t('next.late') : t('next.promise', { time: momentOf(at, now) });
  }

  function declinedWords({ metadata }: TicketDetail, people: People, isOwn: boolean): string {
    const decider = people.get(metadata.approval?.userId ?? '');
    const name = decider && nameOf(decider);
    const reason = metadata.approval?.reason?.trim();
    const why = reason && (/[.!?…]$/.test(reason) ? reason : `${reason}.`);
    const words = name
      ? why
        ? t('next.declinedByWhy', { name, why })
        : t('next.declinedBy', { name })
      : why
        ? t('next.declinedWhy', { why })
        : t('next.declined');
    return isOwn ? `${words} ${t('next.declinedReply')}` : words;
  }

  function openWords(ticket: TicketDetail, people: People, isOwn: boolean, newest: Message | undefined) {
    const { code } = ticket;
    const who = whoOf(ticket, people);
    const names = approversOf(ticket, people);
    if (names !== undefined) return t('next.waitsFor', { names });
    if (!isOwn) return t('next.hasOther', { who, code });
    if (ticket.respondedAt === null) return t('next.has', { who, code });
    // The message may be from before the request was reopened: it is not called new.
    if (newest?.authorId === ticket.requesterId) return t('next.hasReply', { who });
    const writer = newest && authorOfMessage(newest, people);
    return t('next.answered', { who: writer ? nameOf(writer) : who });
  }

  return (
    ticket: TicketDetail,
    {
      people,
      me,
      target,
      newest,
    }: {
      people: People;
      me: string | undefined;
      /** The reference of the request that this one was merged into. */
      target: string | undefined;
      newest: Message | undefined;
    },
  ): string => {
    const { code } = ticket;
    const isOwn = ticket.requesterId === me;
    const team = ticket.queue?.name ?? t('theTeam');
    const group = ticket.status.statusGroup.label;
    if (target !== undefined) return t('next.merged', { code, target });
    if (ticket.archivedAt !== null) return t('next.archived', { code });
    if (hasEnded(ticket) && !isOwn) return t('next.endedOther', { code });
    if (group === 'Done' || group === 'Closed') return t(`next.${group}`, { code });
    // Whatever its status: nobody may be waited for, or work on it, as before.
    if (ticket.declinedAt !== null) return declinedWords(ticket, people, isOwn);
    if (group === 'Waiting')
      return isOwn
        ? t('next.Waiting', { code, team })
        : t('next.WaitingOther', { code, name: nameOf(people.get(ticket.requesterId ?? '')) });
    const promise = isOwn ? promiseOf(ticket) : undefined;
    const words =
      group === 'In Progress'
        ? t('next.working', { who: whoOf(ticket, people), code })
        : openWords(ticket, people, isOwn, newest);
    return promise === undefined ? words : `${words} ${promise}`;
  };
}
