import { escapeMarkdown } from '../../platform/text/markdown.ts';
import type { ValueOf } from '../workflow-config/criteria.ts';
import type { FlowStep } from '../workflow-config/flow.ts';

/** Thrown by a step that cannot be done: it fails with this sentence, and the run waits for a person. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

type Values = Readonly<Record<string, unknown>>;

/** The values that inputs and criteria may reference. */
export interface Scope {
  /** The run's ticket (facts.ts). */
  ticket: Values;
  /** The outputs of the steps that are done, by their ids. */
  outputs: ReadonlyMap<string, Values>;
}

/** `{{ticket.<field>}}` or `{{<stepId>.<output>}}`. */
const REFERENCE = /\{\{\s*([^{}.\s]+)\.([^{}\s]+)\s*\}\}/g;
const WHOLE = /^\{\{\s*([^{}.\s]+)\.([^{}\s]+)\s*\}\}$/;

export interface Reference {
  /** `ticket`, or a step's id. */
  of: string;
  field: string;
}

/** Returns what a text refers to. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(REFERENCE)].map(([, of = '', field = '']) => ({ of, field }));
}

/** Returns how criteria read a field of the ticket or of a step. */
export function valueIn({ ticket, outputs }: Scope): ValueOf {
  return (field) => {
    const dot = field.indexOf('.');
    const values = dot === -1 ? undefined : outputs.get(field.slice(0, dot));
    return values ? values[field.slice(dot + 1)] : ticket[field];
  };
}

/**
 * Returns the inputs of a step with the values that they refer to. An input is a value; or exactly the id of a step, which
 * is that step's output of the same name, else its first one of the same kind; or a text with references.
 * @throws StepFailure if a value is missing; but that is what a condition may ask.
 */
export function inputsOf(
  { action, inputs }: FlowStep,
  steps: readonly FlowStep[],
  scope: Scope,
): Record<string, unknown> {
  const ofStep = (id: string, key: string): Reference | undefined => {
    const source = steps.find((step) => step.id === id);
    if (!source) return undefined;
    const wanted = action.inputs.find((each) => each.key === key);
    const output =
      source.action.outputs.find((each) => each.key === key) ??
      source.action.outputs.find(
        (each) => each.resourceType === wanted?.resourceType && each.type === wanted.type,
      );
    return { of: id, field: output?.key ?? key };
  };
  const mayMiss = action.type === 'Conditional';
  return Object.fromEntries(
    Object.entries(inputs).map(([key, value]) => {
      const isMarkdown = action.inputs.find((each) => each.key === key)?.type === 'richtexteditor';
      return [key, resolved(value, { scope, ofStep, key, isMarkdown, mayMiss })];
    }),
  );
}

interface Resolving {
  scope: Scope;
  ofStep: (id: string, key: string) => Reference | undefined;
  /** The name of the input, or of the field in it. */
  key: string;
  isMarkdown: boolean;
  mayMiss: boolean;
}

function resolved(value: unknown, resolving: Resolving): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => resolved(item, resolving));
  if (typeof value === 'object' && value !== null)
    // The fields of a ticket, of which the description is Markdown.
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        resolved(each, { ...resolving, key, isMarkdown: key === 'description' }),
      ]),
    );
  if (typeof value !== 'string') return value;
  const { ofStep, key, isMarkdown } = resolving;
  const whole = WHOLE.exec(value);
  const reference = whole ? { of: whole[1] ?? '', field: whole[2] ?? '' } : ofStep(value, key);
  if (reference && !(isMarkdown && whole)) return valueAt(reference, resolving);
  return value.replace(REFERENCE, (_whole, of: string, field: string) => {
    const words = wordsOf(valueAt({ of, field }, resolving));
    return isMarkdown ? escapeMarkdown(words) : words;
  });
}

function valueAt({ of, field }: Reference, { scope: { ticket, outputs }, mayMiss }: Resolving): unknown {
  const value = of === 'ticket' ? ticket[field] : outputs.get(of)?.[field];
  if (!mayMiss && (value === undefined || value === null || value === ''))
    throw new StepFailure(
      of === 'ticket' ? `The ticket has no ${field}.` : `The step "${of}" has no ${field}.`,
    );
  return value;
}

function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(wordsOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
