import { api } from '../api.ts';
import { attempt } from '../attempt.ts';
import { append, type Child, h, present } from '../dom.ts';
import { drawChaos } from './chaos.ts';
import { CALL_KINDS, EVENT_KINDS, faultForm } from './fault-form.ts';
import type { Fault } from '../types.ts';
import { inspector } from './state.ts';

let listSlot: HTMLElement | undefined;
let chaosSlot: HTMLElement | undefined;
let drawn = '';
let drawnChaos = '';

/** Switches for faults, and the list of active ones. */
export function drawFaults(slot: HTMLElement): void {
  if (!listSlot || !slot.contains(listSlot)) {
    listSlot = h('div.fault-list', { 'aria-live': 'polite' });
    chaosSlot = h('section.panel-part');
    drawn = drawnChaos = '';
    slot.replaceChildren();
    append(slot, [
      listSlot,
      h(
        'section.panel-part',
        h('h3', 'Calls of the app'),
        quick('faults', CALL_QUICK),
        faultForm({
          what: 'faults',
          kinds: CALL_KINDS,
          target: { name: 'method', label: 'Method', fallback: 'chat.postMessage' },
        }),
      ),
      h(
        'section.panel-part',
        h('h3', 'Events to the app'),
        quick('events', EVENT_QUICK),
        faultForm({
          what: 'events',
          kinds: EVENT_KINDS,
          target: { name: 'event', label: 'Event', fallback: 'message' },
        }),
      ),
      h('section.panel-part', h('h3', 'Connections'), sockets()),
      chaosSlot,
    ]);
  }
  const state = JSON.stringify(inspector.faults);
  if (state === drawn) return;
  drawn = state;
  listSlot.replaceChildren();
  append(listSlot, active());
  // A field that the user is typing in is not redrawn when other faults change.
  const chaos = JSON.stringify(inspector.faults.chaos);
  if (chaos !== drawnChaos) drawChaos(present(chaosSlot));
  drawnChaos = chaos;
}

type Quick = readonly (readonly [label: string, fault: object])[];
const CALL_QUICK: Quick = [
  ['429 once', { method: '*', kind: 'rate_limited', retryAfter: 1 }],
  ['500 once', { method: '*', kind: 'http_error', status: 500 }],
  ['Slow, 5 s', { method: '*', kind: 'slow', ms: 5000 }],
  ['Cut', { method: '*', kind: 'cut' }],
  ['Lose the answer', { method: 'chat.postMessage', kind: 'answer_lost' }],
];
const EVENT_QUICK: Quick = [
  ['Duplicate', { kind: 'duplicate', event: '*' }],
  ['Delay 5 s', { kind: 'delay', event: '*', ms: 5000 }],
  ['Reorder two', { kind: 'reorder', event: '*', window: 2, ms: 10_000 }],
  ['Drop', { kind: 'drop', event: '*' }],
];

/** Common faults, each for the next call or event. */
function quick(what: 'faults' | 'events', list: Quick): HTMLElement {
  return h(
    'div.quick',
    { role: 'group', 'aria-label': 'Quick faults' },
    list.map(([label, fault]) =>
      h(
        'button.plain',
        { onclick: () => attempt(inspector.asked(api.setFaults({ [what]: [fault] }))) },
        label,
      ),
    ),
  );
}

function sockets(): HTMLElement {
  const drop = (label: string, reason: string) =>
    h('button.plain', { onclick: () => attempt(inspector.asked(api.disconnect({ reason }))) }, label);
  return h(
    'div.quick',
    drop('Cut all', 'cut'),
    drop('Ask to reconnect', 'refresh_requested'),
    drop('Warn, then close', 'warning'),
  );
}

function active(): Child {
  const { faults, events, chaos, held } = inspector.faults;
  const lines = [
    ...faults.map(({ method, ...rest }) => line(method, rest)),
    ...events.map(({ event, ...rest }) => line(`${event} events`, rest)),
    chaos && h('li', h('strong', 'chaos'), ` at ${Math.round(chaos.intensity * 100)}%, seed ${chaos.seed}`),
    held > 0 && h('li', `${held} events are held back now`),
  ].filter((each) => each instanceof HTMLElement);
  if (lines.length === 0) return h('p.dim', 'No faults active.');
  return [
    h('ul', lines),
    h('button.plain.danger', { onclick: () => attempt(inspector.asked(api.clearFaults())) }, 'Turn all off'),
  ];
}

function line(target: string, { kind, hits, times, probability, seconds }: Fault): HTMLElement {
  const limits = [
    times ? `${times}×` : undefined,
    probability < 1 ? `at ${Math.round(probability * 100)}%` : undefined,
    seconds ? `for ${seconds} s` : undefined,
  ].filter(Boolean);
  return h(
    'li',
    h('strong', kind.replaceAll('_', ' ')),
    ` on ${target} ${limits.join(', ')}`,
    h('span.dim', ` · struck ${hits}×`),
  );
}
