import { append, type Child, h, present, replaceChildren } from '../dom.ts';
import type { Call, Delivery } from '../types.ts';
import { inspector, type Row } from './state.ts';

interface Drawn {
  state: string;
  node: HTMLElement;
}

let list: HTMLElement | undefined;
let empty: HTMLElement | undefined;
let kept = new Map<string, Drawn>();

/** Every envelope with its attempts and acknowledgement, every call with its answer, newest first. */
export function drawTraffic(slot: HTMLElement): void {
  if (!list || !slot.contains(list)) {
    list = h('ol.traffic', { 'aria-label': 'Envelopes and calls, newest first' });
    empty = h('p.empty', 'Nothing yet. Write a message to see which events the app receives.');
    kept = new Map();
    slot.replaceChildren();
    append(slot, [controls(), empty, list]);
  }
  const rows = inspector.shown();
  const next = new Map<string, Drawn>();
  for (const row of rows) {
    const state = JSON.stringify(row);
    const known = kept.get(row.key);
    next.set(row.key, known?.state === state ? known : { state, node: draw(row, known?.node) });
  }
  kept = next;
  present(empty).hidden = rows.length > 0;
  replaceChildren(
    list,
    [...next.values()].map(({ node }) => node),
  );
}

function controls(): HTMLElement {
  const what = h(
    'select.block-input',
    { 'aria-label': 'Show', onchange: (event) => inspector.setFilter({ what: event.currentTarget.value }) },
    [
      ['all', 'All'],
      ['envelopes', 'Sent to the app'],
      ['calls', 'Calls of the app'],
      ['problems', 'Problems'],
    ].map(([value, label]) => h('option', { value, selected: inspector.filter.what === value }, label)),
  );
  return h(
    'div.traffic-controls',
    h('input.block-input', {
      type: 'search',
      placeholder: 'Filter',
      'aria-label': 'Filter',
      value: inspector.filter.text,
      oninput: (event) => inspector.setFilter({ text: event.currentTarget.value }),
    }),
    what,
    h('button.plain', { onclick: () => inspector.clear() }, 'Clear'),
  );
}

function draw(row: Row, before: HTMLElement | undefined): HTMLElement {
  const { call, delivery } = row;
  const details = h(
    'details',
    { class: `row ${row.what}`, open: before?.querySelector('details')?.open === true },
    h(
      'summary',
      h('span.row-way', { title: call ? 'from the app' : 'to the app' }, call ? '←' : '→'),
      h('span.row-name', call ? call.method : (delivery.event ?? delivery.type)),
      call ? callMark(call) : deliveryMark(delivery),
      h('time.row-time', row.at.slice(11, 23)),
    ),
    call ? callBody(call) : deliveryBody(delivery),
  );
  return h('li', { data: { key: row.key } }, details);
}

function callMark(call: Call): HTMLElement {
  const text = call.fault ? call.fault : call.ok ? 'ok' : (call.error ?? 'failed');
  return h('span', { class: `mark ${call.ok && !call.fault ? 'good' : 'bad'}` }, text, ms(call.ms));
}

function deliveryMark({ state, attempts, faults, ack_ms: took, reason }: Delivery): HTMLElement {
  const bad = state === 'dropped' || faults.length > 0 || attempts.length > 1;
  const text = state === 'acked' ? 'ack' : state === 'dropped' ? `given up: ${reason ?? ''}` : 'waiting';
  return h(
    'span',
    { class: `mark ${bad ? 'bad' : state === 'acked' ? 'good' : 'wait'}` },
    attempts.length > 1 && `${attempts.length} attempts · `,
    faults.length > 0 && `${faults.join(', ')} · `,
    text,
    state === 'acked' && ms(took),
  );
}

const ms = (value: number | undefined) => value !== undefined && h('span.row-ms', ` ${Math.round(value)} ms`);

function callBody(call: Call): Child {
  return [
    facts([
      ['Error', call.error],
      ['Fault', call.fault],
    ]),
    part('Asked', call.args),
    part('Answered', call.answer),
  ];
}

function deliveryBody(delivery: Delivery): Child {
  const { type, event_id: eventId, attempts, ack_payload: payload, reason, faults } = delivery;
  return [
    facts([
      ['Type', type],
      ['Event id', eventId],
      ['Not accepted because', reason],
      ['Faults', faults.join(', ')],
    ]),
    part('Attempts', attempts),
    part('Acknowledged with', payload),
  ];
}

function facts(pairs: readonly (readonly [name: string, value: string | undefined])[]): Child {
  const known = pairs.filter(([, value]) => value);
  return (
    known.length > 0 &&
    h(
      'dl.facts',
      known.map(([name, value]) => [h('dt', name), h('dd', value)]),
    )
  );
}

function part(title: string, value: unknown): HTMLElement | undefined {
  if (value === undefined || value === null) return undefined;
  return h(
    'div.part',
    h('h3', title),
    h('pre', { tabindex: '0', 'aria-label': title }, JSON.stringify(value, undefined, 2)),
  );
}
