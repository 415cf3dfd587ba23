import { Clock, Play, Split, Zap } from 'lucide-react';
import { useTranslations } from 'use-intl';

import type { ItemOf } from '../../api/types.ts';
import { Loading } from '../../kit/states.tsx';
import { Group } from '../parts/page.tsx';
import { useActions } from '../../workflows/actions.ts';
import { useReferences } from '../../workflows/references.ts';
import { useNames, useValueText, ValueList } from '../../workflows/values.tsx';
import styles from '../../workflows/workflows.module.css';
import { criteriaIn, type Filter } from './criteria.ts';

type Workflow = ItemOf<'listWorkflows'>;
type Content = Pick<Workflow, 'steps' | 'connections'>;
type Step = Content['steps'][number];

/** What a workflow does: its steps, what each is given, and what follows from it. */
export function Steps({ content }: { content: Content }) {
  const t = useTranslations('workflows');
  const actions = useActions();
  const { inWords } = useReferences(content.steps);
  // Without the words of the catalogue they would be told in those of the API.
  if (!actions) return <Loading rows={4} />;
  return (
    <Group title={t('steps')}>
      <ol className={styles['timeline']}>
        {content.steps.map((step) => {
          const action = actions.get(step.action);
          return (
            <li key={step.id}>
              <KindSign name={step.action} type={action?.type} />
              <div className={styles['step']}>
                <p className={styles['head']}>
                  <strong>{step.title}</strong>
                  <span className={styles['dim']}>{action?.title ?? step.action}</span>
                </p>
                <ValueList title={t('inputs')} values={inWords(step.inputs)} fields={action?.inputs} />
                <Leads step={step} content={content} isCondition={action?.type === 'Conditional'} />
              </div>
            </li>
          );
        })}
      </ol>
    </Group>
  );
}

/** The shape says what a step is: what starts the workflow, a question, a wait, or something that is done. */
function KindSign({ name, type }: { name: string; type: string | undefined }) {
  const Sign =
    type === 'Trigger' ? Zap : type === 'Conditional' ? Split : name.startsWith('wait.') ? Clock : Play;
  return (
    <span className={styles['sign']}>
      <Sign size={14} aria-hidden />
    </span>
  );
}

/** What follows from a step, and when. Without connections the next step in the order does. */
function Leads({ step, content, isCondition }: { step: Step; content: Content; isCondition: boolean }) {
  const t = useTranslations('workflows');
  const { steps, connections } = content;
  const { nameOf } = useReferences(steps);
  const valueText = useValueText();
  const kinds = [useNames('queue'), useNames('status'), useNames('tag'), useNames('request-type')];
  const names = new Map(kinds.flatMap((each) => [...each]));
  const titleOf = (id: string) => steps.find((each) => each.id === id)?.title ?? id;
  const leads = connections.filter(({ sourceId }) => sourceId === step.id);
  const following = steps[steps.indexOf(step) + 1];
  if (connections.length === 0)
    return following ? <p className={styles['dim']}>{t('next', { step: following.title })}</p> : null;
  if (leads.length === 0) return null;
  const textOf = ({ targetId, criteria, label }: (typeof leads)[number]) => {
    const to = titleOf(targetId);
    const read = criteriaIn(criteria);
    if (label) return t('ifLabelled', { label, step: to });
    switch (read.kind) {
      case 'always':
        return isCondition ? t('ifSo', { step: to }) : t('next', { step: to });
      case 'otherwise':
        return t('ifOtherwise', { step: to });
      case 'failed':
        return t('ifFailed', { step: to });
      case 'groups': {
        const when = read.groups
          .map((group) => group.map((filter) => filterText(filter)).join(` ${t('and')} `))
          .join(` ${t('or')} `);
        return t('ifWhen', { when, step: to });
      }
      case 'unreadable':
        return t('ifUnreadable', { step: to });
    }
  };
  const filterText = ({ field, condition, values }: Filter) => {
    const [stepId = '', output] = field.split('.');
    const name = output === undefined ? nameOf(undefined, field) : nameOf(stepId, output);
    const value = values.map((each) => names.get(each) ?? valueText(output ?? field, each)).join(', ');
    return t(`conditions.${condition}` as never, { name, value } as never);
  };
  return (
    <ul className={styles['dim']}>
      {leads.map((lead) => (
        <li key={lead.id}>{textOf(lead)}</li>
      ))}
    </ul>
  );
}
