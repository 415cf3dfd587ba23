import { useTranslations } from 'use-intl';

import { useActions } from './actions.ts';
import { spaced } from './words.ts';

type Values = Readonly<Record<string, unknown>>;
type Steps = readonly { id: string; title: string; action: string }[];

/** `{{ticket.<field>}}` or `{{<stepId>.<output>}}`, as in the service (src/service/workflows/values.ts). */
const REFERENCE = /\{\{\s*([^{}.\s]+)\.([^{}\s]+)\s*\}\}/g;

/** Says in words what the steps of a workflow take from its ticket and from each other. */
export function useReferences(steps: Steps): {
  /** The name of a field of the ticket (`of` is undefined), or of an output of a step. */
  nameOf: (of: string | undefined, field: string) => string;
  /** Inputs of a step, with words for what they refer to. */
  inWords: (inputs: Values) => Values;
} {
  const t = useTranslations('workflows');
  const actions = useActions();
  const nameOf = (of: string | undefined, field: string): string => {
    const step = steps.find(({ id }) => id === of);
    if (!step) return field === 'code' ? t('reference') : spaced(field);
    const known = actions?.get(step.action)?.outputs.find(({ key }) => key === field)?.label;
    return t('outputOf', { step: step.title, output: known?.toLowerCase() ?? spaced(field) });
  };
  const inText = (text: string): string => {
    const step = steps.find(({ id }) => id === text);
    if (step) return t('ofStep', { step: step.title });
    return text.replaceAll(REFERENCE, (_, of: string, field: string) =>
      t(of === 'ticket' ? 'filledInOfTicket' : 'filledIn', { name: nameOf(of, field) }),
    );
  };
  const inValue = (input: unknown): unknown => {
    if (typeof input === 'string') return inText(input);
    if (Array.isArray(input)) return input.map(inValue);
    return typeof input === 'object' && input !== null ? inWords(input as Values) : input;
  };
  const inWords = (inputs: Values): Values =>
    Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, inValue(value)]));
  return { nameOf, inWords };
}
