import { append, h, keptFocus, present, replaceChildren } from '../dom.ts';
import { icon } from '../icons.ts';
import { drawClock } from './clock.ts';
import { drawFaults } from './faults.ts';
import { inspector, type Tab } from './state.ts';
import { drawTraffic } from './traffic.ts';

const TABS: readonly (readonly [name: Tab, label: string, draw: (slot: HTMLElement) => void])[] = [
  ['traffic', 'Traffic', drawTraffic],
  ['faults', 'Faults', drawFaults],
  ['clock', 'Clock', drawClock],
];
let drawn = '';
const headSlot = h('div.column-head');
const bodySlot = h('div.inspector-body');

/** The inspector at the side: traffic between Slack and app, and faults. */
export function drawInspector(pane: HTMLElement): void {
  pane.hidden = !inspector.open;
  if (!inspector.open) return;
  replaceChildren(pane, [headSlot, bodySlot]);
  if (drawn !== inspector.tab) {
    drawn = inspector.tab;
    const focus = keptFocus(headSlot);
    headSlot.replaceChildren(head());
    bodySlot.replaceChildren();
    focus();
  }
  TABS.find(([name]) => name === inspector.tab)?.[2](bodySlot);
}

function head(): HTMLElement {
  const bar = h('div.tabs', { role: 'tablist', 'aria-label': 'Inspector' });
  append(
    bar,
    TABS.map(([name, label]) =>
      h(
        'button',
        {
          role: 'tab',
          'aria-selected': String(inspector.tab === name),
          tabindex: inspector.tab === name ? '0' : '-1',
          data: { key: `inspector-${name}` },
          onclick: () => inspector.show(name),
        },
        label,
      ),
    ),
  );
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
    if (step === undefined) return;
    const at = TABS.findIndex(([name]) => name === inspector.tab);
    const [next] = present(TABS[(at + step) % TABS.length]);
    bar.querySelector<HTMLElement>(`[data-key="inspector-${next}"]`)?.focus();
    inspector.show(next);
  });
  return h(
    'header.channel-head',
    h('h2', 'Inspector'),
    bar,
    h('span.spring'),
    h(
      'button.icon-button',
      { 'aria-label': 'Close the inspector', onclick: () => inspector.toggle(false) },
      icon('close'),
    ),
  );
}
