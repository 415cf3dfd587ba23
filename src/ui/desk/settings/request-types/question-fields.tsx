import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { useChoices } from '../../api/query.ts';
import { Switch, TextField } from '../../../kit/field.tsx';
import { Choice } from '../parts/fields.tsx';
import { Fields } from '../parts/page.tsx';
import { asksNothing, type Choice as Option, dependsOn, hasChoices, type Question } from './draft.ts';
import styles from './request-types.module.css';
import type { Editing } from './use-draft.ts';

const TICKET_FIELDS = [
  'TITLE',
  'DESCRIPTION',
  'STATUS',
  'PRIORITY',
  'REQUESTER',
  'ASSIGNEE',
  'APPROVERS',
  'FOLLOWERS',
  'DUE_DATE',
] as const;
const FORMATS = ['email', 'url'] as const;
const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;

interface Props {
  question: Question;
  editing: Editing;
}

/** All fields of one question. */
export function QuestionFields({ question, editing }: Props) {
  const t = useTranslations('requestTypes.question');
  const { id, type, label, hint, key, elsewhere } = question;
  const put = (part: Partial<Question>) => editing.putQuestion(id, part);
  const isText = type === 'TEXT_BLOCK';
  return (
    <div className={styles['question-fields']}>
      {type !== 'DIVIDER' && (
        <TextField
          label={t('words')}
          value={label}
          onChange={(words) => put({ label: words })}
          autoFocus
          maxLength={500}
        />
      )}
      {(isText || !asksNothing(type)) && (
        <TextField
          label={isText ? t('text') : t('hint')}
          value={hint}
          onChange={(words) => put({ hint: words })}
          rows={2}
        />
      )}
      {hasChoices(type) && <Choices question={question} put={put} />}
      {!asksNothing(type) && <AnswerFields question={question} put={put} />}
      <Condition question={question} editing={editing} />
      {elsewhere > 0 && <p className={styles['hint']}>{t('elsewhere', { count: elsewhere })}</p>}
      {key && (
        <p className={styles['hint']}>
          {t('key')} <code>{key}</code>
        </p>
      )}
    </div>
  );
}

type Put = (part: Partial<Question>) => void;

/** One choice per line. A known choice keeps its other fields, also when it is removed and typed again. */
function Choices({ question: { options, saved }, put }: { question: Question; put: Put }) {
  const t = useTranslations('requestTypes.question');
  const [text, setText] = useState(() => options.map(({ value }) => value).join('\n'));
  const before = saved ? ((JSON.parse(saved) as { options?: Option[] }).options ?? []) : [];
  const known = new Map([...before, ...options].map((option) => [option.value, option]));
  const read = (typed: string) => {
    setText(typed);
    const values = new Set(
      typed
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    );
    put({ options: [...values].map((value) => known.get(value) ?? { value }) });
  };
  return (
    <TextField
      label={t('choices')}
      value={text}
      onChange={read}
      rows={Math.min(8, Math.max(3, options.length + 1))}
    />
  );
}

function AnswerFields({ question, put }: { question: Question; put: Put }) {
  const t = useTranslations('requestTypes.question');
  const { type, required, everywhere, isPrivate, ticketField, config } = question;
  const set = (part: Record<string, unknown>) =>
    put({
      config: Object.fromEntries(
        Object.entries({ ...config, ...part }).filter(([, value]) => value !== null),
      ),
    });
  const number = (label: string, key: 'min' | 'max') => (
    <TextField
      label={label}
      type="number"
      value={typeof config[key] === 'number' ? String(config[key]) : ''}
      onChange={(text) => set({ [key]: text === '' ? null : Number(text) })}
    />
  );
  const hasPlaceholder = !['BOOLEAN', 'DATETIME', 'FILE_PICKER'].includes(type);
  const isText = type === 'TEXT' || type === 'TEXT_AREA';
  return (
    <>
      <Switch
        label={t('required')}
        isSelected={required}
        onChange={(isOn) => put({ required: isOn, everywhere: isOn && everywhere })}
      />
      <Switch label={t('private')} isSelected={isPrivate} onChange={(isOn) => put({ isPrivate: isOn })} />
      {type === 'NUMBER' && (
        <Switch
          label={t('whole')}
          isSelected={config['decimals'] === false}
          onChange={(isOn) => set({ decimals: isOn ? false : null })}
        />
      )}
      <Fields>
        {hasPlaceholder && (
          <TextField
            label={t('placeholder')}
            value={typeof config['placeholder'] === 'string' ? config['placeholder'] : ''}
            onChange={(text) => set({ placeholder: text || null })}
            maxLength={150}
          />
        )}
        {type === 'TEXT' && (
          <Choice
            label={t('format')}
            value={typeof config['format'] === 'string' ? config['format'] : ''}
            options={[
              { id: '', text: t('formats.any') },
              ...FORMATS.map((id) => ({ id, text: t(`formats.${id}`) })),
            ]}
            onChange={(format) => set({ format: format || null })}
          />
        )}
        {isText && number(t('shortest'), 'min')}
        {isText && number(t('longest'), 'max')}
        {type === 'NUMBER' && number(t('least'), 'min')}
        {type === 'NUMBER' && number(t('most'), 'max')}
        <Choice
          label={t('fills')}
          value={ticketField ?? ''}
          options={[
            { id: '', text: t('ticketFields.none') },
            ...TICKET_FIELDS.map((id) => ({ id, text: t(`ticketFields.${id}`) })),
          ]}
          onChange={(id) => put({ ticketField: TICKET_FIELDS.find((each) => each === id) ?? null })}
        />
      </Fields>
    </>
  );
}

/** When it is asked: always, or depending on the answer to another question. */
function Condition({ question: { id, parentId, dependsOnValue }, editing }: Props) {
  const t = useTranslations('requestTypes.question');
  const all = editing.draft.questions;
  const parent = all.find((each) => each.id === parentId);
  const values = useValues(parent);
  const others = all.filter((each) => !asksNothing(each.type) && !dependsOn(all, each, id));
  if (others.length === 0) return null;
  const isKnown = dependsOnValue === null || values.some((value) => value.id === dependsOnValue);
  const put = (part: Partial<Question>) => editing.putQuestion(id, part);
  return (
    <Fields>
      <Choice
        label={t('asked')}
        value={parentId ?? ''}
        options={[
          { id: '', text: t('always') },
          ...others.map(({ id: other, label }) => ({ id: other, text: t('depending', { name: label }) })),
        ]}
        onChange={(other) => put({ parentId: other || null, dependsOnValue: null })}
      />
      {parent && (
        <Choice
          label={t('where')}
          value={dependsOnValue ?? ''}
          options={[
            { id: '', text: t('anything') },
            ...values,
            ...(isKnown ? [] : [{ id: dependsOnValue, text: t('goneChoice', { name: dependsOnValue }) }]),
          ]}
          onChange={(value) => put({ dependsOnValue: value || null })}
        />
      )}
    </Fields>
  );
}

/** The answers that a condition can name; of texts, numbers and people it only says that there is one. */
function useValues(parent: Question | undefined): { id: string; text: string }[] {
  const t = useTranslations('requestTypes.question');
  const names = useTranslations('common.priority');
  const statuses = useChoices('listStatuses');
  switch (parent?.type) {
    case 'BOOLEAN':
      return [
        { id: 'true', text: t('yes') },
        { id: 'false', text: t('no') },
      ];
    case 'SELECT':
    case 'MULTI_SELECT':
      return parent.options.map(({ value }) => ({ id: value, text: value }));
    case 'PRIORITY_SELECT':
      return PRIORITIES.map((id) => ({ id, text: names(id) }));
    case 'STATUS_SELECT':
      return statuses.map(({ id, label }) => ({ id, text: label }));
    default:
      return [];
  }
}
