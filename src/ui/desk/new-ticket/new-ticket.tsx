import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';

import { PickFiles, UploadList } from '../files/upload-list.tsx';
import { useUploads } from '../files/uploads.ts';
import { Button } from '../../kit/button.tsx';
import { Hint } from '../../kit/hint.tsx';
import { TOUCH, useMedia } from '../kit/media.ts';
import { MoreTexts } from '../kit/more-texts.tsx';
import { newTicket } from '../messages/new-ticket.ts';
import { MAX_CHARACTERS } from '../ticket/text-edits.ts';
import { Chosen, PriorityChoice, Requester, Title, TypeChoice } from './choices.tsx';
import { filesIn, needsTitle } from './form.ts';
import { MarkdownField } from './markdown-field.tsx';
import styles from './new-ticket.module.css';
import { Question } from './question.tsx';
import { Similar } from './similar.tsx';
import { PrivateSwitch, TeamFields, TellSwitch } from './team-fields.tsx';
import { useNewTicket } from './use-new-ticket.ts';

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
  const title = t(isOwn ? 'ownTitle' : 'title');
  const form = useRef<HTMLFormElement>(null);
  const isTouched = useMedia(TOUCH);
  const writing = useNewTicket(isOwn, form);
  const { draft, type, queue, errors, me, set } = writing;
  // Not attached yet: they are when the ticket is created.
  const workspaceId = queue?.workspaceId;
  const uploadsTo = `/desk/files${workspaceId ? `?workspaceId=${encodeURIComponent(workspaceId)}` : ''}`;
  const uploads = useUploads(uploadsTo, draft.files, writing.changeFiles);
  useEffect(() => {
    document.title = title;
  }, [title]);
  // Who asks for themselves chooses first what it is about; for others, the title has the focus.
  useEffect(() => {
    if (isOwn)
      form.current?.querySelector<HTMLElement>('button, input, textarea')?.focus({ preventScroll: true });
  }, [isOwn]);
  return (
    <main className={styles['page']}>
      <form
        ref={form}
        noValidate
        className={styles['form']}
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          void writing.create();
        }}
        {...uploads.target}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void writing.create();
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
          {writing.types.length > 0 && (
            <TypeChoice
              label={t(isOwn ? 'about' : 'type')}
              types={writing.types}
              type={type}
              onChange={(typeId) => set({ typeId, queueId: '', priority: '' })}
            />
          )}
        </div>
        {type?.description && <p className={styles['help']}>{type.description}</p>}
        <Questions writing={writing} uploadsTo={uploadsTo} />
        <div>
          <Title
            value={draft.title}
            isNeeded={needsTitle(type)}
            error={errors['title']}
            onChange={(value) => set({ title: value })}
            // The keyboard of a phone would cover half of the form.
            autoFocus={!isOwn && !isTouched}
          />
          <Similar title={draft.title} path={isOwn ? '/requests' : '/tickets'} />
        </div>
        <MarkdownField
          label={t('description')}
          value={draft.description}
          maxLength={MAX_CHARACTERS.description}
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
          {writing.choosesQueue && <QueueChoice writing={writing} isOwn={isOwn} />}
          {writing.choosesPriority && (
            <PriorityChoice value={writing.priority} onChange={(id) => set({ priority: id })} />
          )}
          {writing.isOfTeam && (
            <TeamFields draft={draft} errors={errors} queue={queue} me={me} onChange={set} />
          )}
        </div>
        <PrivateSwitch isPrivate={writing.isPrivate} isOwn={isOwn} onChange={set} />
        {writing.isForOther && <TellSwitch draft={draft} queue={queue} onChange={set} />}
        {errors['all'] && (
          <p role="alert" className={styles['error']}>
            {errors['all']}
          </p>
        )}
        <Buttons writing={writing} isOwn={isOwn} />
      </form>
    </main>
  );
}

type Writing = ReturnType<typeof useNewTicket>;

/** The questions of the chosen request type. */
function Questions({
  writing: { draft, type, questions, errors, answer },
  uploadsTo,
}: {
  writing: Writing;
  uploadsTo: string;
}) {
  if (!type || questions.length === 0) return null;
  return (
    <fieldset className={styles['questions']}>
      <legend className="visually-hidden">{type.name}</legend>
      {questions.map((field) => {
        const { key } = field.customField;
        return (
          <Question
            key={field.id}
            field={field}
            value={draft.given[key] ?? null}
            error={errors[key]}
            uploadsTo={uploadsTo}
            onChange={(value) => answer(key, () => value)}
            onFiles={(make) => answer(key, (former) => make(filesIn(former) ?? []))}
          />
        );
      })}
    </fieldset>
  );
}

/** The queue; for a person who asks, the team. */
function QueueChoice({
  writing: { queues, queueId, errors, set },
  isOwn,
}: {
  writing: Writing;
  isOwn: boolean;
}) {
  const t = useTranslations('newTicket');
  return (
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
  );
}

function Buttons({ writing: { isEmpty, isBusy, discard }, isOwn }: { writing: Writing; isOwn: boolean }) {
  const t = useTranslations('newTicket');
  const label = t(isOwn ? 'send' : 'create');
  return (
    <div className={styles['buttons']}>
      <Hint text={label} keys="Mod+Enter">
        <Button type="submit" kind="primary" isPending={isBusy}>
          {label}
        </Button>
      </Hint>
      {!isEmpty && (
        <>
          <Button onPress={discard}>{t('discard')}</Button>
          <span className={styles['help']}>{t(isOwn ? 'keptOwn' : 'kept')}</span>
        </>
      )}
    </div>
  );
}
