import { Plus } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { Picker } from '../../../kit/picker.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { Ordered } from '../parts/ordered.tsx';
import { Group } from '../parts/page.tsx';
import { ASKS, asksNothing, freeId, newQuestion, type Question, questionOfField, SHOWS } from './draft.ts';
import { QuestionFields } from './question-fields.tsx';
import { useFields } from './records.ts';
import styles from './request-types.module.css';
import type { Editing } from './use-draft.ts';

/** The questions of the form, in order; one of them is open. */
export function Questions({
  editing,
  opened,
  setOpened,
}: {
  editing: Editing;
  opened: string | null;
  setOpened: (id: string | null) => void;
}) {
  const t = useTranslations('requestTypes');
  const { draft, put } = editing;
  const { questions } = draft;
  const nameOf = ({ label, type }: Question) =>
    label.trim() || (type === 'DIVIDER' ? t('line') : t('unnamedQuestion'));
  const move = (question: Question, to: number) =>
    put({ questions: questions.filter(({ id }) => id !== question.id).toSpliced(to, 0, question) });
  /** Questions that depended on it are then always asked. */
  const remove = (question: Question) => {
    const rest = questions
      .filter(({ id }) => id !== question.id)
      .map((each) =>
        each.parentId === question.id ? { ...each, parentId: null, dependsOnValue: null } : each,
      );
    put({ questions: rest });
    showToast({
      kind: 'done',
      text: t('questionRemoved', { name: nameOf(question) }),
      undo: () => put({ questions }),
    });
  };
  return (
    <Group title={t('questions')} {...(questions.length === 0 && { help: t('noQuestions') })}>
      {questions.length > 0 && (
        <Ordered label={t('questions')} rows={questions} nameOf={nameOf} onMove={move}>
          {(question) => (
            <>
              <div className={styles['question']}>
                <strong>{nameOf(question)}</strong>
                <span className={styles['kind']}>
                  {[
                    t(`kinds.${question.type}`),
                    question.required && !asksNothing(question.type) && t('required'),
                    question.parentId && t('sometimes'),
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </span>
                <Button
                  size="small"
                  kind="quiet"
                  aria-expanded={opened === question.id}
                  aria-label={t(opened === question.id ? 'doneName' : 'changeName', {
                    name: nameOf(question),
                  })}
                  onPress={() => setOpened(opened === question.id ? null : question.id)}
                >
                  {opened === question.id ? t('done') : t('change')}
                </Button>
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={t('removeName', { name: nameOf(question) })}
                  onPress={() => remove(question)}
                >
                  {t('removeQuestion')}
                </Button>
              </div>
              {opened === question.id && <QuestionFields question={question} editing={editing} />}
            </>
          )}
        </Ordered>
      )}
      <Add
        editing={editing}
        onAdded={(question) => {
          put({ questions: [...questions, question] });
          setOpened(question.id);
        }}
      />
    </Group>
  );
}

/** Adds a new question, or a field that the workspace has. */
function Add({ editing: { draft }, onAdded }: { editing: Editing; onAdded: (question: Question) => void }) {
  const t = useTranslations('requestTypes');
  const others = useFields().filter(
    ({ id }) => !draft.questions.some(({ customFieldId }) => customFieldId === id),
  );
  const kinds = [...ASKS, ...SHOWS].map((id) => ({
    id,
    text: t(`kinds.${id}`),
    group: asksNothing(id) ? t('shows') : t('asks'),
  }));
  return (
    <div className={styles['add']}>
      <Picker
        label={t('add')}
        options={kinds}
        selected={[]}
        onChange={([id]) => {
          const kind = kinds.find((each) => each.id === id);
          if (kind) onAdded(newQuestion(kind.id, freeId(draft.questions)));
        }}
      >
        <Button>
          <Plus size={14} aria-hidden /> {t('add')}
        </Button>
      </Picker>
      {others.length > 0 && (
        <Picker
          label={t('addOther')}
          options={others.map(({ id, label, key }) => ({ id, text: label, detail: key }))}
          selected={[]}
          onChange={([id]) => {
            const field = others.find((each) => each.id === id);
            if (field) onAdded(questionOfField(field, freeId(draft.questions)));
          }}
        >
          <Button kind="quiet">{t('addOther')}</Button>
        </Picker>
      )}
    </div>
  );
}
