import { Clock, Play, Split, Zap } from 'lucide-react';
import { useTranslations } from 'use-intl';

import type { ItemOf } from '../../api/types.ts';
import { Group } from '../parts/page.tsx';
import { useActions, ValueList } from '../../workflows/values.tsx';
import styles from '../../workflows/workflows.module.css';
import { criteriaIn } from './criteria.ts';

type Workflow = ItemOf<'listWorkflows'>;
type Content = Pick<Workflow, 'steps' | 'connections'>;
type Step = Content['steps'][number];

/** What a workflow does: its steps, what each is given, and what follows from it. */
export function Steps({ content }: { content: Content }) {
  const t = useTranslations('workflows');
  const actions = useActions();
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
                <ValueList title={t('inputs')} values={step.inputs} fields={action?.inputs} />
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
        return t('ifLabelled', { label: '?', step: to });
    }
  };
  const filterText = ({ field, condition, value }: { field: string; condition: string; value: string }) => {
    const [stepId = '', output] = field.split('.');
    const of = output !== undefined && steps.some(({ id }) => id === stepId);
    const name = of ? t('outputOf', { step: titleOf(stepId), output: spaced(output) }) : spaced(field);
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

/** `statusGroup` as people write it: status group. */
const spaced = (name: string) => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
