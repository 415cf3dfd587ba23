import { type RefObject, useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { Refusal, unreached } from '../api/call.ts';
import { usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { Message, Status, TicketDetail } from '../api/types.ts';
import { endsWithUndo, showToast } from '../../kit/toast.tsx';
import { nextTicket } from '../list/next-ticket.ts';
import { useChange } from './change.ts';
import type { Draft, useDraft } from './drafts.ts';
import { toastRefusal } from '../kit/toast-refusal.ts';
import type { Permissions } from './may.ts';
import { toContent } from './mentions.ts';
import { lastUndoable, type Scheduled, UNDO_SECONDS, useIsDelayed } from './scheduled.ts';
import type { Outcome } from './send.ts';

/** The code that sends is loaded when the user starts to type (main.tsx), or here. */
async function loadSend() {
  try {
    const { sendMessage, sendNow, undoReply } = await import('./send.ts');
    return { sendMessage, sendNow, undoReply };
  } catch {
    throw unreached();
  }
}

const sendNow = (reply: Scheduled) => void toastRefusal(async () => (await loadSend()).sendNow(reply));

/** How a message is sent: with a status of this group, before the next ticket, or later. */
export type After = 'Closed' | 'Waiting' | 'Next' | { sendAt: Date };

/** A message from the moment at which it leaves the field. */
interface Leaving {
  /** The content of the field. */
  draft: Draft;
  /** When the newest message was written that its writer has seen. */
  since: string | undefined;
  /** The person was asked, and sends it over what others replied meanwhile. */
  isAsked: boolean;
  after: After | undefined;
  sendAt: Date | undefined;
  /** The status that the ticket gets with it, if it has another one. */
  status: Status | undefined;
  /** Opens the next ticket; undefined at the end of the list. */
  openNext: (() => void) | undefined;
  /** Send it now, without the time to undo. */
  isHurried: boolean;
}

/** The text of a draft as messages store it, and all that is sent: files without a text are named. */
export function contentOf({ text, mentioned, files }: Draft): { typed: string; content: string } {
  const typed = trimmed(toContent(text, mentioned));
  return { typed, content: typed || files.map(({ name }) => name).join(', ') };
}

/**
 * Sends what is written on a ticket in three steps: it is taken out of the field, brought to the service, and followed
 * by what the person wants done. A message that is refused, or that another reply overtook, is back in the field.
 */
export function useSend({
  ticket,
  may,
  kept,
  isNote,
  isUploading,
  newestAt,
  field,
  stopTyping,
}: {
  ticket: TicketDetail;
  may: Permissions;
  kept: ReturnType<typeof useDraft>;
  isNote: boolean;
  /** Files are still on their way: nothing is sent. */
  isUploading: boolean;
  /** When the newest message was written, '' without one; undefined while they are read. */
  newestAt: string | undefined;
  field: RefObject<HTMLTextAreaElement | null>;
  stopTyping: () => void;
}) {
  const { draft, hide, drop } = kept;
  const isDelayed = useIsDelayed() && !isNote;
  const begunAtRef = useBegunAt(draft.text, newestAt);
  const isShown = useIsShown();
  const take = useTake({ ticket, draft, begunAtRef });
  const deliver = useDeliver({ ticket, may, isNote, isDelayed });
  const follow = useFollow({ ticket, isShown });
  const { askAgain, giveBack, overtaken, decided, failure, setFailure } = useReturned({
    ticket,
    change: kept.change,
    begunAtRef,
    isShown,
    field,
  });
  /** The message that is being sent. */
  const underWay = useRef<Leaving>(undefined);
  const { content } = contentOf(draft);

  async function send(after?: After, isAsked = false): Promise<void> {
    if (isUploading) return;
    if (!content) {
      field.current?.focus();
      return;
    }
    const leaving = take(after, isAsked);
    underWay.current = leaving;
    setFailure(undefined);
    hide(isNote);
    stopTyping();
    try {
      const outcome = await deliver(leaving);
      if (outcome.kind === 'overtaken') {
        askAgain(leaving, outcome.replies);
        return;
      }
      drop(contentOf(leaving.draft).typed);
      follow(leaving, outcome);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      giveBack(leaving, error.message);
    } finally {
      if (underWay.current === leaving) underWay.current = undefined;
    }
  }

  const begin = (after?: After, isAsked = false) => void endsWithUndo(send(after, isAsked));

  /** Sends by key; pressed again, a delayed message is sent now. */
  function pressSend(): void {
    const last = content || isNote ? undefined : lastUndoable(ticket.id, may.me);
    if (content || isNote) begin();
    else if (underWay.current) underWay.current.isHurried = true;
    else if (last) sendNow(last);
    else field.current?.focus();
  }

  return {
    send: (after?: After) => begin(after),
    pressSend,
    /** Whether it can be scheduled, and undone until then. */
    isDelayed,
    /** Why the last message was not sent. */
    failure,
    forgetFailure: () => setFailure(undefined),
    /** Replies of others that arrived before the message was sent: the user decides. */
    overtaken: overtaken && {
      replies: overtaken.replies,
      sendAnyway: () => {
        decided();
        begin(overtaken.after, true);
      },
      keep: decided,
    },
  };
}

/** Writes down what leaves the field, and what is to be done after it. */
function useTake({
  ticket,
  draft,
  begunAtRef,
}: {
  ticket: TicketDetail;
  draft: Draft;
  begunAtRef: RefObject<string | undefined>;
}): (after: After | undefined, isAsked: boolean) => Leaving {
  const statusOf = useStatusOf(ticket);
  return (after, isAsked) => ({
    draft,
    since: begunAtRef.current,
    isAsked,
    after,
    sendAt: typeof after === 'object' ? after.sendAt : undefined,
    status: after === 'Closed' || after === 'Waiting' ? statusOf(after) : undefined,
    // As when a ticket is closed in its details (change.ts).
    openNext:
      after === 'Next' || after === 'Closed'
        ? nextTicket({ code: ticket.code, isListed: after === 'Closed' })
        : undefined,
    isHurried: false,
  });
}

/** Brings a message to the service. What it returns throws Refusal. */
function useDeliver({
  ticket,
  may,
  isNote,
  isDelayed,
}: {
  ticket: TicketDetail;
  may: Permissions;
  isNote: boolean;
  isDelayed: boolean;
}): (leaving: Leaving) => Promise<Outcome> {
  const me = usePerson(may.me);
  return async ({ draft, since, isAsked, sendAt, status }) => {
    const { sendMessage } = await loadSend();
    const later = () => ({
      sendAt,
      statusId: status?.id,
      shown: import('./scheduled-replies.tsx').catch(() => undefined),
    });
    return sendMessage(
      ticket,
      {
        content: contentOf(draft).content,
        isPrivate: isNote,
        files: draft.files,
        since: may.isWorker && !isNote && !isAsked ? since : undefined,
        later: isDelayed ? later() : undefined,
      },
      me,
    );
  };
}

/** Does what follows a message that the service has. */
function useFollow({ ticket, isShown }: { ticket: TicketDetail; isShown: RefObject<boolean> }) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const changeTicket = useChange(ticket);

  function offerUndo({ isHurried, sendAt }: Leaving, reply: Scheduled): void {
    if (isHurried) {
      sendNow(reply);
      return;
    }
    const time = sendAt && format.dateTime(sendAt, { dateStyle: 'medium', timeStyle: 'short' });
    showToast({
      kind: 'done',
      text: time ? t('scheduledFor', { time }) : t('sendingSoon', { count: UNDO_SECONDS }),
      undo: async () => (await loadSend()).undoReply(reply, t('alreadySent')),
    });
  }

  const setStatus = (status: Status) =>
    void changeTicket(
      { statusId: status.id },
      { said: t('said.status', { value: status.label }), shown: { status } },
    );

  return (leaving: Leaving, outcome: Exclude<Outcome, { kind: 'overtaken' }>): void => {
    if (isShown.current) {
      if (leaving.openNext) leaving.openNext();
      else if (leaving.after === 'Next') showToast({ kind: 'done', text: t('lastOfList') });
    }
    if (outcome.kind === 'scheduled') offerUndo(leaving, outcome.reply);
    else if (leaving.status) setStatus(leaving.status);
  };
}

/** Puts back into the field what was not sent, and keeps why. */
function useReturned({
  ticket,
  change,
  begunAtRef,
  isShown,
  field,
}: {
  ticket: TicketDetail;
  change: ReturnType<typeof useDraft>['change'];
  begunAtRef: RefObject<string | undefined>;
  isShown: RefObject<boolean>;
  field: RefObject<HTMLTextAreaElement | null>;
}) {
  const t = useTranslations('ticket');
  const [failure, setFailure] = useState<string>();
  const [overtaken, setOvertaken] = useState<{ replies: readonly Message[]; after: After | undefined }>();
  // One goes on writing where the question was asked.
  useEffect(() => (overtaken ? () => field.current?.focus() : undefined), [overtaken, field]);

  /** Takes back what the field lost; what was typed meanwhile stays below it. */
  const restore = ({ draft: sent }: Leaving) =>
    change((now) => ({
      ...sent,
      text: now.text ? `${sent.text}\n\n${now.text}` : sent.text,
      mentioned: { ...sent.mentioned, ...now.mentioned },
      files: [...sent.files, ...now.files],
    }));

  const sayKept = (message: string) =>
    showToast({ kind: 'error', text: t('notSentKept', { code: ticket.code, message }) });

  /** Others replied meanwhile: the person is asked whether it is still to be sent. */
  function askAgain(leaving: Leaving, replies: readonly Message[]): void {
    if (!isShown.current) {
      sayKept(t('repliedMeanwhile'));
      return;
    }
    restore(leaving);
    begunAtRef.current = replies[0]?.createdAt;
    setOvertaken({ replies, after: leaving.after });
  }

  /** It was refused. */
  function giveBack(leaving: Leaving, message: string): void {
    if (!isShown.current) {
      sayKept(message);
      return;
    }
    restore(leaving);
    begunAtRef.current = leaving.since;
    setFailure(message);
  }

  return { askAgain, giveBack, overtaken, decided: () => setOvertaken(undefined), failure, setFailure };
}

/** Finds the status that a ticket gets with a message; undefined if it has it already, or there is none. */
function useStatusOf({ statusId }: TicketDetail): (group: 'Closed' | 'Waiting') => Status | undefined {
  const statuses = useChoices('listStatuses');
  return (group) => {
    const all = statuses.toSorted((one, other) => one.order - other.order);
    const of = (name: string) => all.find(({ statusGroup }) => statusGroup.label === name);
    const status = group === 'Closed' ? (of('Closed') ?? of('Done')) : of('Waiting');
    return status?.id === statusId ? undefined : status;
  };
}

/**
 * When the newest message was written that was there as the text was begun: one that comes later, its writer may not
 * have seen.
 */
function useBegunAt(text: string, newestAt: string | undefined) {
  const begunAtRef = useRef<string>(undefined);
  useEffect(() => {
    if (text === '' || begunAtRef.current === undefined) begunAtRef.current = newestAt;
  }, [text, newestAt]);
  return begunAtRef;
}

/** Whether the page still shows the ticket. */
function useIsShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  return isShown;
}
