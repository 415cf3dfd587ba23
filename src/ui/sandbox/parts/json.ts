import { h } from '../dom.ts';

/** JSON, folded under its title. */
export function json(
  value: unknown,
  { title, open = false }: { title: string; open?: boolean },
): HTMLElement {
  return h(
    'details.json',
    { open },
    h('summary', title),
    h('pre', { tabindex: '0' }, JSON.stringify(value, undefined, 2)),
  );
}
