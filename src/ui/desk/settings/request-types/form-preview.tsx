import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import type { FormInput, FormPart } from '../../../../contract/index.ts';
import { request } from '../../api/call.ts';
import { choices, useChoices } from '../../api/query.ts';
import { Loading } from '../../kit/states.tsx';
import { type Draft, shapeOf } from './draft.ts';
import styles from './form-preview.module.css';
import { useRequestTypes } from './records.ts';

/** How long to wait for another key stroke before the preview is drawn again. */
const PAUSE_MS = 100;

type Question = Omit<Extract<FormPart, { kind: 'question' }>, 'asks'> & { asks: string };
type Part = Exclude<FormPart, { kind: 'question' }> | Question;
interface Preview {
  window: { title: string; submit: string; close: string };
  isTooLong: boolean;
  parts: Part[];
}
type Answers = Record<string, string | string[]>;

/** The options of a form's menus. */
const CHOICES = ['listForms', 'listStatuses', 'listTags'] as const;

/** The form as chat will show it, which the desk's server draws from the same parts as the bridge. */
function usePreview(draft: Draft, answers: Answers) {
  const t = useTranslations('requestTypes');
  const { items } = useRequestTypes();
  const isOfDraft = ({ workspaceId }: { workspaceId: string }) =>
    !draft.workspaceId || workspaceId === draft.workspaceId;
  const parent = items.find(({ id }) => id === draft.parentId)?.name;
  const body = {
    form: shapeOf(draft, { parent, unnamed: t('unnamedQuestion') }),
    kinds: useChoices('listForms').map(({ id, name, emoji, parent: above, type, published }) => ({
      id,
      name,
      emoji,
      parent: above,
      type,
      published,
    })),
    answers,
    statuses: useChoices('listStatuses').filter(({ statusGroup }) => isOfDraft(statusGroup)),
    tags: useChoices('listTags').filter(isOfDraft),
  };
  // Without its choices, a menu would be drawn as a field for text.
  const isReady = useQueries({
    queries: CHOICES.map(choices),
    combine: (reads) => reads.every(({ isPending }) => !isPending),
  });
  return useQuery({
    enabled: isReady,
    queryKey: ['form-preview', JSON.stringify(body)],
    queryFn: async ({ signal }) => {
      await pause(signal);
      return (await request('POST', '/desk/form-preview', { body, signal })) as Preview;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** Ends with an error if the preview is not needed any more. */
const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/** The form's dialog in chat; answers can be tried, as questions may depend on them. */
export function FormPreview({ draft }: { draft: Draft }) {
  const t = useTranslations('requestTypes.preview');
  const [answers, setAnswers] = useState<Answers>({});
  const { data, error } = usePreview(draft, answers);
  const answer = (id: string, value: string | string[]) => setAnswers((now) => ({ ...now, [id]: value }));
  return (
    <section className={styles['preview']} aria-labelledby="preview-title" data-preview="">
      <h2 id="preview-title">{t('title')}</h2>
      <p className={styles['quiet']}>{draft.published && draft.formEnabled ? t('help') : t('notOffered')}</p>
      {error && <p className={styles['error']}>{t('failed', { reason: error.message })}</p>}
      {!data && !error && <Loading rows={5} />}
      {data?.isTooLong && <p className={styles['error']}>{t('tooLong')}</p>}
      {data && !data.isTooLong && (
        <div className={styles['window']} role="group" aria-label={data.window.title}>
          <p className={styles['title']}>{data.window.title}</p>
          <div className={styles['parts']} data-parts="">
            {data.parts.map((part, index) =>
              part.kind === 'question' ? (
                <QuestionPart
                  key={part.asks}
                  part={part}
                  draft={draft}
                  answer={answer}
                  given={answers[part.asks]}
                />
              ) : part.kind === 'divider' ? (
                <hr key={`${part.kind} ${index}`} data-part="divider" />
              ) : (
                <p key={`${part.kind} ${index}`} className={styles[part.kind]} data-part={part.kind}>
                  {part.text}
                </p>
              ),
            )}
          </div>
          <p className={styles['buttons']} aria-hidden>
            <span>{data.window.close}</span>
            <span>{data.window.submit}</span>
          </p>
        </div>
      )}
    </section>
  );
}

interface QuestionProps {
  part: Question;
  draft: Draft;
  given: string | string[] | undefined;
  answer: (id: string, value: string | string[]) => void;
}

/** A group of choices has a legend; other inputs have a label. */
function QuestionPart(props: QuestionProps) {
  const t = useTranslations('requestTypes.preview');
  const { asks, label, hint, required, input } = props.part;
  const id = `preview-${asks}`;
  const words = (
    <>
      {label}
      {!required && <span className={styles['optional']}> {t('optional')}</span>}
    </>
  );
  const several = input.kind === 'menu' && input.several;
  const isGroup = input.kind === 'yes-no' || several || input.kind === 'files';
  const about = hint ? `${id}-hint` : undefined;
  const control = <Control {...props} id={id} about={about} />;
  return (
    <div
      className={styles['question']}
      data-part="question"
      data-input={input.kind}
      data-several={'several' in input ? input.several : false}
    >
      {isGroup ? (
        <fieldset aria-describedby={about}>
          <legend className={styles['label']} data-label="">
            {words}
          </legend>
          {control}
        </fieldset>
      ) : (
        <>
          <label className={styles['label']} data-label="" htmlFor={id}>
            {words}
          </label>
          {control}
        </>
      )}
      {hint && (
        <p className={styles['hint']} data-hint="" id={about}>
          {hint}
        </p>
      )}
    </div>
  );
}

const TYPES: Partial<Record<FormInput['kind'], string>> = {
  email: 'email',
  url: 'url',
  number: 'number',
  date: 'date',
  time: 'time',
  moment: 'datetime-local',
};

type ControlProps = QuestionProps & { id: string; about: string | undefined };

/** The browser's own fields stand for Slack's: what counts is what is asked, not how it looks. */
function Control({ part, draft, given, answer, id, about }: ControlProps) {
  const t = useTranslations('requestTypes.preview');
  const { asks, required, input } = part;
  const shared = {
    id,
    'aria-describedby': about,
    'aria-required': required,
    onChange: ({ target }: { target: { value: string } }) => answer(asks, target.value),
  };
  const placeholder = 'placeholder' in input ? (input.placeholder ?? undefined) : undefined;
  switch (input.kind) {
    case 'text':
      return input.lines ? (
        <textarea {...shared} rows={3} maxLength={input.max} placeholder={placeholder} />
      ) : (
        <input {...shared} type="text" maxLength={input.max} placeholder={placeholder} />
      );
    case 'yes-no':
      return input.choices.map((choice) => (
        <label key={choice.id} className={styles['check']} data-choice="">
          <input type="radio" name={id} value={choice.id} onChange={shared.onChange} />
          {choice.label}
        </label>
      ));
    case 'menu':
      if (asks === 'type') return <KindMenu id={id} input={input} draft={draft} />;
      return input.several ? (
        <Several input={input} id={id} given={given} onChange={(ids) => answer(asks, ids)} />
      ) : (
        <select {...shared} value={typeof given === 'string' ? given : ''}>
          <option value="">{placeholder ?? t('choose')}</option>
          <Options groups={input.groups} />
        </select>
      );
    case 'people':
      return (
        <input
          {...shared}
          type="text"
          placeholder={placeholder ?? (input.several ? t('people') : t('person'))}
        />
      );
    case 'files':
      return (
        <p className={styles['files']}>
          <span aria-hidden>{t('files')}</span> {t('filesMost', { count: input.max })}
        </p>
      );
    case 'number':
      return (
        <input
          {...shared}
          type="number"
          placeholder={placeholder}
          min={input.min ?? undefined}
          max={input.max ?? undefined}
          step={input.decimals ? 'any' : 1}
        />
      );
    default:
      return <input {...shared} type={TYPES[input.kind]} placeholder={placeholder} />;
  }
}

type Menu = Extract<FormInput, { kind: 'menu' }>;

const textOf = ({ label, description }: { label: string; description: string | null }) =>
  description ? `${label} – ${description}` : label;

function Options({ groups }: { groups: Menu['groups'] }) {
  return groups.map(({ label, choices }) => {
    const options = choices.map((choice) => (
      <option key={choice.id} value={choice.id}>
        {textOf(choice)}
      </option>
    ));
    return label === null ? (
      options
    ) : (
      <optgroup key={label} label={label}>
        {options}
      </optgroup>
    );
  });
}

/** The menu of request types cannot be used: the preview shows the edited one. */
function KindMenu({ id, input, draft }: { id: string; input: Menu; draft: Draft }) {
  const chosen = input.groups
    .flatMap(({ choices }) => choices)
    .find((choice) => choice.id === (draft.id ?? 'new'));
  return (
    <select id={id} disabled>
      <option>{chosen?.label ?? input.placeholder}</option>
    </select>
  );
}

function Several({
  input,
  id,
  given,
  onChange,
}: {
  input: Menu;
  id: string;
  given: string | string[] | undefined;
  onChange: (ids: string[]) => void;
}) {
  const t = useTranslations('requestTypes.preview');
  const held = [given ?? []].flat();
  const choices = input.groups.flatMap((group) => group.choices);
  const names = choices.filter((choice) => held.includes(choice.id)).map(({ label }) => label);
  return (
    <details className={styles['several']}>
      <summary>{names.join(', ') || (input.placeholder ?? t('chooseSome'))}</summary>
      {choices.map((choice) => (
        <label key={choice.id} className={styles['check']} data-choice="">
          <input
            type="checkbox"
            name={id}
            checked={held.includes(choice.id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...held, choice.id] : held.filter((each) => each !== choice.id))
            }
          />
          {textOf(choice)}
        </label>
      ))}
    </details>
  );
}
