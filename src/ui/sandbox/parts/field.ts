import { h } from '../dom.ts';

interface Field {
  label: string;
  control: HTMLElement;
  hint?: string;
  optional?: boolean;
  error?: string;
}

let ids = 0;

/** A labelled form control: label above, hint or error below, all of them accessible to screen readers. */
export function field({ label, control, hint, optional = false, error }: Field): HTMLElement {
  const id = control.id || `field-${(ids += 1)}`;
  control.id = id;
  const about: string[] = [];
  const note = (className: string, text: string, suffix: 'error' | 'hint') => {
    about.push(`${id}-${suffix}`);
    return h(
      'p',
      { class: className, id: `${id}-${suffix}`, role: suffix === 'error' ? 'alert' : undefined },
      text,
    );
  };
  const parts = [
    h('label.field-label', { for: id }, label, optional && h('span.field-optional', ' (optional)')),
    control,
    error && note('field-error', error, 'error'),
    hint && note('field-hint', hint, 'hint'),
  ];
  if (about.length > 0) control.setAttribute('aria-describedby', about.join(' '));
  if (error) control.setAttribute('aria-invalid', 'true');
  return h('div', { class: error ? 'field wrong' : 'field' }, parts);
}
