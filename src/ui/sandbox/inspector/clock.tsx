import { useEffect, useState } from 'react';

import { NativeButton } from '../../kit/native-button.tsx';
import { NativeField, NativeInput } from '../../kit/native-field.tsx';
import { api } from '../api.ts';
import { useChanges } from '../use-changes.ts';
import { applyChange } from './apply-change.ts';
import { inspector } from './state.ts';

const TICK_MS = 500;
const STEPS = ['1m', '5m', '30m', '1h', '1d'];
const SPEEDS = [
  [0, 'Hold'],
  [1, '1×'],
  [10, '10×'],
  [60, '60×'],
  [600, '600×'],
] as const;

/** Controls of the sandbox's clock: move it forward, hold it, or run it faster. The sandbox's timers follow it. */
export function Clock() {
  useChanges(inspector);
  const words = inspector.unusualClock();
  return (
    <>
      <section className="panel-part">
        <ClockFace />
        <p className="dim" role="status">
          {words.length > 0 ? words.join(', ') : "Same as this machine's clock"}
        </p>
      </section>
      <section className="panel-part">
        <h3>Move it forward</h3>
        <div className="quick">
          {STEPS.map((advance) => (
            <NativeButton key={advance} onClick={() => applyChange(api.setClock({ advance }))}>
              + {advance}
            </NativeButton>
          ))}
          <NativeButton onClick={() => applyChange(api.setClock({ reset: true }))}>Reset to now</NativeButton>
        </div>
        <CustomStep />
      </section>
      <section className="panel-part">
        <h3>Let it run</h3>
        <div className="quick" role="group" aria-label="Speed">
          {SPEEDS.map(([speed, label]) => (
            <NativeButton
              key={speed}
              aria-pressed={speed === inspector.clock.speed}
              onClick={() => applyChange(api.setClock({ speed }))}
            >
              {label}
            </NativeButton>
          ))}
        </div>
      </section>
    </>
  );
}

function ClockFace() {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const now = inspector.now().toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return <p className="clock-face">{now}</p>;
}

function CustomStep() {
  const [typed, setTyped] = useState('');
  const advance = typed.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (advance !== '') applyChange(api.setClock({ advance }));
      }}
    >
      <div className="form-row">
        <NativeField label="By">
          {(control) => (
            <NativeInput
              {...control}
              placeholder="90s, 5m, 1.5h, 2d"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </NativeField>
        <span className="beside">
          <NativeButton type="submit">Move</NativeButton>
        </span>
      </div>
    </form>
  );
}
