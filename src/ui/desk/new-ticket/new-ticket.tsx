import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { call, Refusal } from '../api/call.ts';
import { nameOf, usePeople, usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { FileRecord } from '../files/record.ts';
import { PickFiles, UploadList } from '../files/upload-list.tsx';
import { useUploads } from '../files/uploads.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { Hint } from '../kit/hint.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { type Option, Picker } from '../kit/picker.tsx';
import { PrioritySign } from '../kit/signs.tsx';
import { showToast } from '../kit/toast.tsx';
import { newTicket } from '../messages/new-ticket.ts';
import { useReadTyped } from '../ticket/field-control.tsx';
import { useIsOfTeam, useMe } from '../ticket/may.ts';
import { MOST_CHARACTERS } from '../ticket/text-edits.ts';
import { MarkdownField } from './markdown-field.tsx';
import {
  fieldsOf,
  filesIn,
  type Form,
  type FormField,
  needsTitle,
  type NewTicketDraft,
  readAnswers,
  useNewTicketDraft,
} from './form.ts';
import styles from './new-ticket.module.css';
import { Labelled, opener, Question } from './question.tsx';
import { Similar } from './similar.tsx';
import { canBeTold, PrivateSwitch, TeamFields, TellSwitch } from './team-fields.tsx';

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
type Priority = (typeof PRIORITIES)[number];
/** So much room is left when it is said. */
const NEARLY_FULL = 60;

const TEXTS = { newTicket };

/** The form for a new ticket of anybody. */
export function NewTicket() {
  return (
    <MoreTexts texts={TEXTS}>
      <TicketForm isOwn={false} />
    </MoreTexts>
  );
}

/** The form of a person who asks for themselves. */
export function NewRequest() {
  return (
    <MoreTexts texts={TEXTS}>
      <TicketForm isOwn />
    </MoreTexts>
  );
}

/**
 * The fields of any ticket, and those of the chosen request type.
 * @param isOwn a person asks for themselves, and is no agent.
 */
function TicketForm({ isOwn }: { isOwn: boolean }) {
  const t = useTranslations('newTicket');
  const session = useSession();
  const title = t(isOwn ? 'ownTitle' : 'title');
  const me = useMe();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const { draft, isEmpty, change, drop } = useNewTicketDraft(me);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [isBusy, setBusy] = useState(false);
  const types = useChoices('listForms').filter(({ type }) => type !== 'collection');
  const queues = useChoices('listQueues').filter(({ deletedAt }) => !deletedAt);
  const readTyped = useReadTyped();
  const type = types.find(({ id }) => id === draft.typeId);
  const questions = fieldsOf(type, draft.given);
  const ownQueue = queues.find(({ id }) => session?.queueIds?.includes(id));
  const queueId = draft.queueId || (type?.defaultQueueId ?? ownQueue?.id ?? queues[0]?.id ?? '');
  const priority = PRIORITIES.find((each) => each === draft.priority) ?? type?.defaultPriority ?? 'MEDIUM';
  // A requester chooses it where the form asks for it.
  const choosesPriority =
    !isOwn ||
    (type?.customFields.some((field) => field.ticketField === 'PRIORITY' && !field.private) ?? false);
  // A requester need not know who does what, where the request type says it.
  const choosesQueue = isOwn ? queues.length > 1 && !type?.defaultQueueId : queues.length > 0;
  const queue = queues.find(({ id }) => id === queueId);
  const workspaceId = queue?.workspaceId;
  const isOfTeam = useIsOfTeam(queue);
  const isPrivate = draft.isPrivate ?? type?.isPrivate ?? false;
  const isForOther = isOfTeam && draft.requesterId !== '' && draft.requesterId !== me;
  const requester = usePerson(isForOther ? draft.requesterId : null);
  // Not attached yet: they are when the ticket is created.
  const uploadsTo = `/desk/files${workspaceId ? `?workspaceId=${encodeURIComponent(workspaceId)}` : ''}`;
  const changeFiles = (make: (files: readonly FileRecord[]) => readonly FileRecord[]) => {
    change(({ files }) => ({ files: make(files) }));
    setErrors(({ all: _, ...others }) => others);
  };
  const uploads = useUploads(uploadsTo, draft.files, changeFiles);
  useEffect(() => {
    document.title = title;
  }, [title]);

  const set = (part: Partial<NewTicketDraft>) => {
    change(part);
    setErrors(({ all: _, ...others }) =>
      Object.fromEntries(Object.entries(others).filter(([key]) => !(key in part))),
    );
  };
  const answer = (key: string, make: (former: unknown) => unknown) => {
    change(({ given }) => ({ given: { ...given, [key]: make(given[key]) } }));
    setErrors(({ all: _, [key]: _of, ...others }) => others);
  };
  const show = (found: Record<string, string>) => {
    setErrors(found);
    // The first field with an error, once it is marked.
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-wrong] button')?.focus(),
    );
  };

  async function create(): Promise<void> {
    if (isBusy) return;
    if (form.current?.querySelector('progress')) {
      setErrors({ all: t('stillUploading') });
      return;
    }
    const [named, description] = [trimmed(draft.title), trimmed(draft.description)];
    const answers = readAnswers(questions, draft.given, readTyped, t('required'));
    const found = {
      ...(!isOwn && !draft.requesterId && { requesterId: t('requesterRequired') }),
      ...answers.errors,
      ...(!named && needsTitle(type) && { title: t('titleRequired') }),
      ...(!named && !description && !needsTitle(type) && { description: t('textRequired') }),
    };
    if (Object.keys(found).length > 0) {
      show(found);
      return;
    }
    const fileIds = [...draft.files.map(({ id }) => id), ...answers.fileIds];
    setBusy(true);
    try {
      const ticket = await call('createTicket', {
        body: {
          title: named || null,
          description: description || null,
          queueId: queueId || null,
          priority: choosesPriority ? priority : null,
          requesterId: (isOwn ? me : draft.requesterId) || null,
          requestTypeId: type?.id ?? null,
          ...(isPrivate && { private: true }),
          ...(isOfTeam && draft.assigneeId && { assigneeId: draft.assigneeId }),
          ...(isOfTeam && draft.tagIds.length > 0 && { tags: draft.tagIds.map((id) => ({ id })) }),
          ...(draft.isTold && requester && canBeTold(requester, queue) && { tellRequester: true }),
          ...answers.body,
          ...(fileIds.length > 0 && { fileIds }),
        },
      });
      drop();
      ticketsChanged([ticket.id]);
      showToast({ kind: 'done', text: t(isOwn ? 'sent' : 'created', { code: ticket.code }) });
      await navigate({ href: `${isOwn ? '/requests' : '/tickets'}/${encodeURIComponent(ticket.code)}` });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      show(errorsOf(error, questions));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className={styles['page']}>
      <form
        ref={form}
        noValidate
        className={styles['form']}
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
        {...uploads.target}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void create();
        }}
      >
        <h1>{title}</h1>
        <div className={styles['columns']}>
          {!isOwn && (
            <Requester
              id={draft.requesterId}
              me={me}
              error={errors['requesterId']}
              onChange={(id) => set({ requesterId: id })}
            />
          )}
          {types.length > 0 && (
            <TypeChoice
              label={t(isOwn ? 'about' : 'type')}
              types={types}
              type={type}
              onChange={(typeId) => set({ typeId, queueId: '', priority: '' })}
            />
          )}
        </div>
        {type?.description && <p className={styles['help']}>{type.description}</p>}
        {type && questions.length > 0 && (
          <fieldset className={styles['questions']}>
            <legend className="visually-hidden">{type.name}</legend>
            {questions.map((field) => (
              <Question
                key={field.id}
                field={field}
                value={draft.given[field.customField.key] ?? null}
                error={errors[field.customField.key]}
                uploadsTo={uploadsTo}
                onChange={(value) => answer(field.customField.key, () => value)}
                onFiles={(make) => answer(field.customField.key, (former) => make(filesIn(former) ?? []))}
              />
            ))}
          </fieldset>
        )}
        <div>
          <Title
            value={draft.title}
            isNeeded={needsTitle(type)}
            error={errors['title']}
            onChange={(title) => set({ title })}
          />
          <Similar title={draft.title} path={isOwn ? '/requests' : '/tickets'} />
        </div>
        <MarkdownField
          label={t('description')}
          value={draft.description}
          maxLength={MOST_CHARACTERS.description}
          error={errors['description']}
          onChange={(description) => set({ description })}
        />
        {!uploads.isAbsent && (
          <div className={styles['files']} data-dropping={uploads.isDropping ? '' : undefined}>
            <PickFiles uploads={uploads} label={t('description')} />
            <UploadList uploads={uploads} />
          </div>
        )}
        <div className={styles['columns']}>
          {choosesQueue && (
            <Chosen
              label={t(isOwn ? 'team' : 'queue')}
              options={queues.map(({ id, name, prefix, emoji }) => ({
                id,
                text: name,
                ...(!isOwn && { detail: prefix }),
                ...(emoji && { sign: emoji }),
              }))}
              value={queueId}
              error={errors['queueId']}
              onChange={(id) => set({ queueId: id })}
            />
          )}
          {choosesPriority && <PriorityChoice value={priority} onChange={(id) => set({ priority: id })} />}
          {isOfTeam && <TeamFields draft={draft} errors={errors} queue={queue} me={me} onChange={set} />}
        </div>
        <PrivateSwitch isPrivate={isPrivate} isOwn={isOwn} onChange={set} />
        {isForOther && <TellSwitch draft={draft} queue={queue} onChange={set} />}
        {errors['all'] && (
          <p role="alert" className={styles['error']}>
            {errors['all']}
          </p>
        )}
        <div className={styles['buttons']}>
          <Hint text={t(isOwn ? 'send' : 'create')} keys="Mod+Enter">
            <Button type="submit" kind="primary" isPending={isBusy}>
              {t(isOwn ? 'send' : 'create')}
            </Button>
          </Hint>
          {!isEmpty && (
            <Button
              onPress={() => {
                setErrors({});
                drop();
              }}
            >
              {t('discard')}
            </Button>
          )}
          {!isEmpty && <span className={styles['help']}>{t(isOwn ? 'keptOwn' : 'kept')}</span>}
        </div>
      </form>
    </main>
  );
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

function Requester({
  id,
  me,
  error,
  onChange,
}: {
  id: string;
  me: string | null | undefined;
  error: string | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  const person = usePeople(id ? [id] : []).get(id);
  return (
    <Labelled label={t('requester')} error={error}>
      <PersonPicker
        label={t('requester')}
        selected={id ? [id] : []}
        first={me ? [me] : []}
        onChange={([chosen]) => onChange(chosen ?? '')}
      >
        {opener(
          t('requester'),
          id ? nameOf(person) : t('whoAsks'),
          !id,
          person && <Avatar person={person} />,
        )}
      </PersonPicker>
    </Labelled>
  );
}

function Chosen({
  label,
  options,
  value,
  help,
  error,
  onChange,
}: {
  label: string;
  options: readonly Option[];
  value: string;
  help?: string | null | undefined;
  error?: string | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  const chosen = options.find(({ id }) => id === value);
  return (
    <Labelled label={label} help={help} error={error}>
      <Picker label={label} options={options} selected={[value]} onChange={([id]) => onChange(id ?? '')}>
        {opener(label, chosen?.text ?? t('choose'), !chosen, chosen?.sign)}
      </Picker>
    </Labelled>
  );
}

function TypeChoice({
  label,
  types,
  type,
  onChange,
}: {
  label: string;
  types: readonly Form[];
  type: Form | undefined;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('newTicket');
  return (
    <Chosen
      label={label}
      options={[
        { id: '', text: t('anythingElse') },
        ...types.map(({ id, name, emoji, parent }) => ({
          id,
          text: name,
          ...(emoji && { sign: emoji }),
          ...(parent && { group: parent.name }),
        })),
      ]}
      value={type?.id ?? ''}
      onChange={onChange}
    />
  );
}

function PriorityChoice({ value, onChange }: { value: Priority; onChange: (id: string) => void }) {
  const t = useTranslations('newTicket');
  const common = useTranslations('common');
  return (
    <Chosen
      label={t('priority')}
      options={PRIORITIES.map((id) => ({
        id,
        text: common(`priority.${id}`),
        sign: <PrioritySign priority={id} />,
      }))}
      value={value}
      onChange={onChange}
    />
  );
}

function Title({
  value,
  isNeeded,
  error,
  onChange,
}: {
  value: string;
  isNeeded: boolean;
  error: string | undefined;
  onChange: (title: string) => void;
}) {
  const t = useTranslations('newTicket');
  const left = MOST_CHARACTERS.title - value.length;
  return (
    <TextField
      label={t('titleOf')}
      value={value}
      onChange={onChange}
      maxLength={MOST_CHARACTERS.title}
      autoComplete="off"
      validationBehavior="aria"
      isRequired={isNeeded}
      error={error}
      help={left <= NEARLY_FULL ? t('left', { count: left }) : isNeeded ? undefined : t('titleMade')}
    />
  );
}
