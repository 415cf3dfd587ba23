import { NativeButton } from '../../kit/native-button.tsx';
import { api } from '../api.ts';
import type { Fault } from '../types.ts';
import { useChanges } from '../use-changes.ts';
import { applyChange } from './apply-change.ts';
import { Chaos } from './chaos.tsx';
import { CALL_KINDS, EVENT_KINDS, FaultForm } from './fault-form.tsx';
import { inspector } from './state.ts';

/** Switches for faults, and the list of active ones. */
export function Faults() {
  useChanges(inspector);
  return (
    <>
      <div className="fault-list" aria-live="polite">
        <Active />
      </div>
      <section className="panel-part">
        <h3>Calls of the app</h3>
        <QuickFaults what="faults" faults={CALL_QUICK} />
        <FaultForm
          what="faults"
          kinds={CALL_KINDS}
          target={{ name: 'method', label: 'Method', fallback: 'chat.postMessage' }}
        />
      </section>
      <section className="panel-part">
        <h3>Events to the app</h3>
        <QuickFaults what="events" faults={EVENT_QUICK} />
        <FaultForm
          what="events"
          kinds={EVENT_KINDS}
          target={{ name: 'event', label: 'Event', fallback: 'message' }}
        />
      </section>
      <section className="panel-part">
        <h3>Connections</h3>
        <div className="quick">
          {DISCONNECTS.map(([label, reason]) => (
            <NativeButton key={reason} onClick={() => applyChange(api.disconnect({ reason }))}>
              {label}
            </NativeButton>
          ))}
        </div>
      </section>
      <section className="panel-part">
        <h3>Chaos</h3>
        <Chaos chaos={inspector.faults.chaos} />
      </section>
    </>
  );
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
const DISCONNECTS = [
  ['Cut all', 'cut'],
  ['Ask to reconnect', 'refresh_requested'],
  ['Warn, then close', 'warning'],
] as const;

/** Common faults, each for the next call or event. */
function QuickFaults({ what, faults }: { what: 'faults' | 'events'; faults: Quick }) {
  return (
    <div className="quick" role="group" aria-label="Quick faults">
      {faults.map(([label, fault]) => (
        <NativeButton key={label} onClick={() => applyChange(api.setFaults({ [what]: [fault] }))}>
          {label}
        </NativeButton>
      ))}
    </div>
  );
}

function Active() {
  const { faults, events, chaos, held } = inspector.faults;
  if (faults.length === 0 && events.length === 0 && !chaos && held === 0)
    return <p className="dim">No faults active.</p>;
  return (
    <>
      <ul>
        {faults.map(({ method, ...fault }, index) => (
          <ActiveFault key={`call ${index}`} target={method} fault={fault} />
        ))}
        {events.map(({ event, ...fault }, index) => (
          <ActiveFault key={`event ${index}`} target={`${event} events`} fault={fault} />
        ))}
        {chaos && (
          <li>
            <strong>chaos</strong> at {Math.round(chaos.intensity * 100)}%, seed {chaos.seed}
          </li>
        )}
        {held > 0 && <li>{held} events are held back now</li>}
      </ul>
      <NativeButton kind="danger" onClick={() => applyChange(api.clearFaults())}>
        Turn all off
      </NativeButton>
    </>
  );
}

function ActiveFault({ target, fault }: { target: string; fault: Fault }) {
  const { kind, hits, times, probability, seconds } = fault;
  const limits = [
    times ? `${times}×` : undefined,
    probability < 1 ? `at ${Math.round(probability * 100)}%` : undefined,
    seconds ? `for ${seconds} s` : undefined,
  ].filter(Boolean);
  return (
    <li>
      <strong>{kind.replaceAll('_', ' ')}</strong>
      {` on ${target} ${limits.join(', ')}`}
      <span className="dim"> · struck {hits}×</span>
    </li>
  );
}
