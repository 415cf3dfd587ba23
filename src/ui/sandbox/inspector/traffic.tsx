import { memo, type ReactNode, useState } from 'react';

import { NativeButton } from '../../kit/native-button.tsx';
import { NativeInput, NativeSelect } from '../../kit/native-field.tsx';
import type { Call, Delivery } from '../types.ts';
import { useChanges } from '../use-changes.ts';
import { inspector, type Row } from './state.ts';

/** Every envelope with its attempts and acknowledgement, every call with its answer, newest first. */
export function Traffic() {
  useChanges(inspector);
  const rows = inspector.shown();
  return (
    <>
      <Controls />
      {rows.length === 0 && (
        <p className="empty">Nothing yet. Write a message to see which events the app receives.</p>
      )}
      <ol className="traffic" aria-label="Envelopes and calls, newest first">
        {rows.map((row) => (
          <TrafficRow key={row.key} row={row} />
        ))}
      </ol>
    </>
  );
}

const SHOWN = [
  ['all', 'All'],
  ['envelopes', 'Sent to the app'],
  ['calls', 'Calls of the app'],
  ['problems', 'Problems'],
] as const;

function Controls() {
  const { text, what } = inspector.filter;
  return (
    <div className="traffic-controls">
      <NativeInput
        type="search"
        placeholder="Filter"
        aria-label="Filter"
        value={text}
        onChange={(event) => inspector.setFilter({ text: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Show"
        value={what}
        onChange={(event) => inspector.setFilter({ what: event.currentTarget.value })}
        options={SHOWN}
      />
      <NativeButton onClick={() => inspector.clear()}>Clear</NativeButton>
    </div>
  );
}

/** The state makes another object of a row that has changed. What is in it is drawn when it is opened. */
const TrafficRow = memo(function TrafficRow({ row }: { row: Row }) {
  const [isOpen, setOpen] = useState(false);
  const { call, delivery } = row;
  return (
    <li>
      <details className={`row ${row.what}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="row-way" title={call ? 'from the app' : 'to the app'}>
            {call ? '←' : '→'}
          </span>
          <span className="row-name">{call ? call.method : (delivery.event ?? delivery.type)}</span>
          {call ? <CallMark call={call} /> : <DeliveryMark delivery={delivery} />}
          <time className="row-time">{row.at.slice(11, 23)}</time>
        </summary>
        {isOpen && (call ? <CallBody call={call} /> : <DeliveryBody delivery={delivery} />)}
      </details>
    </li>
  );
});

function CallMark({ call: { fault, ok, error, ms } }: { call: Call }) {
  return (
    <span className={`mark ${ok && !fault ? 'good' : 'bad'}`}>
      {fault ?? (ok ? 'ok' : (error ?? 'failed'))}
      <Took ms={ms} />
    </span>
  );
}

function DeliveryMark({
  delivery: { state, attempts, faults, ack_ms: took, reason },
}: {
  delivery: Delivery;
}) {
  const isBad = state === 'dropped' || faults.length > 0 || attempts.length > 1;
  return (
    <span className={`mark ${isBad ? 'bad' : state === 'acked' ? 'good' : 'wait'}`}>
      {attempts.length > 1 && `${attempts.length} attempts · `}
      {faults.length > 0 && `${faults.join(', ')} · `}
      {state === 'acked' ? 'ack' : state === 'dropped' ? `given up: ${reason ?? ''}` : 'waiting'}
      {state === 'acked' && <Took ms={took} />}
    </span>
  );
}

function Took({ ms }: { ms: number | undefined }) {
  return ms === undefined ? null : <span className="row-ms"> {Math.round(ms)} ms</span>;
}

function CallBody({ call }: { call: Call }) {
  return (
    <>
      <Facts
        facts={[
          ['Error', call.error],
          ['Fault', call.fault],
        ]}
      />
      <Json title="Asked" value={call.args} />
      <Json title="Answered" value={call.answer} />
    </>
  );
}

function DeliveryBody({ delivery }: { delivery: Delivery }) {
  const { type, event_id: eventId, attempts, ack_payload: payload, reason, faults } = delivery;
  return (
    <>
      <Facts
        facts={[
          ['Type', type],
          ['Event id', eventId],
          ['Not accepted because', reason],
          ['Faults', faults.join(', ')],
        ]}
      />
      <Json title="Attempts" value={attempts} />
      <Json title="Acknowledged with" value={payload} />
    </>
  );
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = facts.filter(([, value]) => Boolean(value));
  if (known.length === 0) return null;
  return (
    <dl className="facts">
      {known.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || value === null) return null;
  return (
    <div className="part">
      <h3>{title}</h3>
      <pre tabIndex={0} aria-label={title}>
        {JSON.stringify(value, undefined, 2)}
      </pre>
    </div>
  );
}
