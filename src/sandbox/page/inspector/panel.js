import { append, h, keptFocus, replaceChildren } from '../dom.js';
import { icon } from '../icons.js';
import { drawClock } from './clock.js';
import { drawFaults } from './faults.js';
import { inspector } from './state.js';
import { drawTraffic } from './traffic.js';

const TABS = [
  ['traffic', 'Traffic', drawTraffic],
  ['faults', 'Faults', drawFaults],
  ['clock', 'Clock', drawClock],
];
let drawn = '';
const headSlot = h('div.column-head');
const bodySlot = h('div.inspector-body');

/** The inspector at the side: traffic between Slack and app, and faults. */
export function drawInspector(pane) {
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
  TABS.find(([name]) => name === inspector.tab)[2](bodySlot);
}

function head() {
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
    const [next] = TABS[(at + step) % TABS.length];
    bar.querySelector(`[data-key="inspector-${next}"]`).focus();
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
