import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { call, Refusal } from '../api/call.ts';
import { usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { BodyOf } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { showToast } from '../../kit/toast.tsx';
import { useReadTyped } from '../ticket/field-control.tsx';
import { useIsOfTeam, useMe } from '../ticket/may.ts';
import {
  fieldsOf,
  type FormField,
  needsTitle,
  type NewTicketDraft,
  readAnswers,
  useNewTicketDraft,
} from './form.ts';
import { PRIORITIES } from './choices.tsx';
import { canBeTold } from './team-fields.tsx';

/** Errors by field; those of no field under `all`. */
type Errors = Record<string, string>;

/**
 * A ticket that is being written: what is typed and chosen, what is wrong with it, and how it is created.
 * @param isOwn a person asks for themselves, and is no agent.
 * @param form where the first field with an error is looked for.
 */
export function useNewTicket(isOwn: boolean, form: RefObject<HTMLFormElement | null>) {
  const t = useTranslations('newTicket');
  const me = useMe();
  const { draft, isEmpty, change, drop } = useNewTicketDraft(me);
  const chosen = useChosen(draft, isOwn, me);
  const [errors, setErrors] = useState<Errors>({});
  const readTyped = useReadTyped();

  const forgetErrors = (keys: readonly string[]) =>
    setErrors((now) =>
      Object.fromEntries(Object.entries(now).filter(([key]) => key !== 'all' && !keys.includes(key))),
    );
  const show = (found: Errors) => {
    setErrors(found);
    // The first field with an error, once it is marked.
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-wrong] button')?.focus(),
    );
  };

  /** Reads what was typed and chosen as the service expects it; undefined, and shown, if something is wrong. */
  function read(): Body | undefined {
    const { type, questions } = chosen;
    const [title, description] = [trimmed(draft.title), trimmed(draft.description)];
    const answers = readAnswers(questions, draft.given, readTyped, t('required'));
    const found = {
      ...(!isOwn && !draft.requesterId && { requesterId: t('requesterRequired') }),
      ...answers.errors,
      ...(!title && needsTitle(type) && { title: t('titleRequired') }),
      ...(!title && !description && !needsTitle(type) && { description: t('textRequired') }),
    };
    if (Object.keys(found).length > 0) {
      show(found);
      return undefined;
    }
    const fileIds = [...draft.files.map(({ id }) => id), ...answers.fileIds];
    return {
      title: title || null,
      description: description || null,
      requesterId: (isOwn ? me : draft.requesterId) || null,
      ...bodyOf(draft, chosen),
      ...answers.body,
      ...(fileIds.length > 0 && { fileIds }),
    };
  }

  const { create, isBusy } = useCreate(isOwn, drop);
  return {
    draft,
    me,
    ...chosen,
    /** Nothing is typed or chosen. */
    isEmpty,
    errors,
    isBusy,
    /** Changes fields of the ticket. */
    set: (part: Partial<NewTicketDraft>) => {
      change(part);
      forgetErrors(Object.keys(part));
    },
    /** Changes the answer to a question. */
    answer: (key: string, make: (former: unknown) => unknown) => {
      change(({ given }) => ({ given: { ...given, [key]: make(given[key]) } }));
      forgetErrors([key]);
    },
    changeFiles: (make: (files: readonly FileRecord[]) => readonly FileRecord[]) => {
      change(({ files }) => ({ files: make(files) }));
      forgetErrors([]);
    },
    discard: () => {
      setErrors({});
      drop();
    },
    create: async () => {
      if (isBusy) return;
      if (form.current?.querySelector('progress')) {
        setErrors({ all: t('stillUploading') });
        return;
      }
      const body = read();
      const refusal = body && (await create(body));
      if (refusal) show(errorsOf(refusal, chosen.questions));
    },
  };
}

type Body = NonNullable<BodyOf<'createTicket'>>;
type Chosen = ReturnType<typeof useChosen>;

/** Values that follow from the draft, its request type and its queue. */
function useChosen(draft: NewTicketDraft, isOwn: boolean, me: string | undefined) {
  const session = useSession();
  const types = useChoices('listForms').filter(({ type }) => type !== 'collection');
  const queues = useChoices('listQueues').filter(({ deletedAt }) => !deletedAt);
  const type = types.find(({ id }) => id === draft.typeId);
  const ownQueue = queues.find(({ id }) => session?.queueIds?.includes(id));
  const queueId = draft.queueId || (type?.defaultQueueId ?? ownQueue?.id ?? queues[0]?.id ?? '');
  const queue = queues.find(({ id }) => id === queueId);
  const isOfTeam = useIsOfTeam(queue);
  const isForOther = isOfTeam && draft.requesterId !== '' && draft.requesterId !== me;
  return {
    types,
    type,
    questions: fieldsOf(type, draft.given),
    queues,
    queueId,
    queue,
    priority: PRIORITIES.find((each) => each === draft.priority) ?? type?.defaultPriority ?? 'MEDIUM',
    // A requester chooses it where the form asks for it.
    choosesPriority:
      !isOwn ||
      (type?.customFields.some((field) => field.ticketField === 'PRIORITY' && !field.private) ?? false),
    // A requester need not know who does what, where the request type says it.
    choosesQueue: isOwn ? queues.length > 1 && !type?.defaultQueueId : queues.length > 0,
    isPrivate: draft.isPrivate ?? type?.isPrivate ?? false,
    isOfTeam,
    /** Whether it is logged for somebody else. */
    isForOther,
    requester: usePerson(isForOther ? draft.requesterId : null),
  };
}

/** The fields of the ticket that are chosen. */
function bodyOf(draft: NewTicketDraft, chosen: Chosen): Partial<Body> {
  const { type, queue, queueId, priority, choosesPriority, isPrivate, isOfTeam, requester } = chosen;
  return {
    queueId: queueId || null,
    priority: choosesPriority ? priority : null,
    requestTypeId: type?.id ?? null,
    ...(isPrivate && { private: true }),
    ...(isOfTeam && draft.assigneeId && { assigneeId: draft.assigneeId }),
    ...(isOfTeam && draft.tagIds.length > 0 && { tags: draft.tagIds.map((id) => ({ id })) }),
    ...(draft.isTold && requester && canBeTold(requester, queue) && { tellRequester: true }),
  };
}

/** Creates the ticket and opens it; resolves to why the service refused it. */
function useCreate(isOwn: boolean, onCreated: () => void) {
  const t = useTranslations('newTicket');
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const create = async (body: Body): Promise<Refusal | undefined> => {
    setBusy(true);
    try {
      const ticket = await call('createTicket', { body });
      onCreated();
      ticketsChanged([ticket.id]);
      showToast({ kind: 'done', text: t(isOwn ? 'sent' : 'created', { code: ticket.code }) });
      await navigate({ href: `${isOwn ? '/requests' : '/tickets'}/${encodeURIComponent(ticket.code)}` });
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error;
    } finally {
      setBusy(false);
    }
  };
  return { create, isBusy };
}

/** The problems that the service found, by the field that they are about; others under `all`. */
function errorsOf(error: Refusal, questions: readonly FormField[]): Record<string, string> {
  const fields = new Set([
    'title',
    'description',
    'requesterId',
    'queueId',
    'assigneeId',
    'tags',
    ...questions.map(({ customField }) => customField.key),
  ]);
  const issues = Array.isArray(error.problem['issues'])
    ? (error.problem['issues'] as { path?: string; message?: string }[])
    : [];
  const known = issues.flatMap(({ path = '', message = '' }) => {
    const field = path.replace(/^customFields\./, '').split('.')[0] ?? '';
    return fields.has(field) && message ? [[field, message] as const] : [];
  });
  return known.length > 0 ? Object.fromEntries(known) : { all: error.message };
}
