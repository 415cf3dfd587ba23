import { type ReactElement, useId } from 'react';

/** Attributes that a control gets from its label and hint. */
export interface LabelledControl {
  id: string;
  'aria-describedby': string | undefined;
}

/** A form control with its label above, and a hint below, both accessible to screen readers. */
export function Labelled({
  label,
  hint,
  isOptional = false,
  children,
}: {
  label: string;
  hint?: string;
  isOptional?: boolean;
  children: (control: LabelledControl) => ReactElement;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
        {isOptional && <span className="field-optional"> (optional)</span>}
      </label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : hintId })}
      {hint !== undefined && (
        <p className="field-hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}
