import { useEffect, useState } from 'react';

import { api } from '../api.ts';
import { Labelled } from '../parts/labelled.tsx';
import { useChanges } from '../use-changes.ts';
import { ask } from './ask.ts';
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

/** The sandbox's clock: it can be moved on, held, or made to run faster; timers follow it. */
export function Clock() {
  useChanges(inspector);
  const words = inspector.unusual().filter((word) => word.startsWith('the clock'));
  return (
    <>
      <section className="panel-part">
        <Face />
        <p className="dim" role="status">
          {words.length > 0 ? words.join(', ') : "As this machine's clock"}
        </p>
      </section>
      <section className="panel-part">
        <h3>Move it forward</h3>
        <div className="quick">
          {STEPS.map((advance) => (
            <button
              key={advance}
              type="button"
              className="plain"
              onClick={() => ask(api.setClock({ advance }))}
            >
              + {advance}
            </button>
          ))}
          <button type="button" className="plain" onClick={() => ask(api.setClock({ reset: true }))}>
            Reset to now
          </button>
        </div>
        <OwnStep />
      </section>
      <section className="panel-part">
        <h3>Let it run</h3>
        <div className="quick" role="group" aria-label="Speed">
          {SPEEDS.map(([speed, label]) => (
            <button
              key={speed}
              type="button"
              className="plain"
              aria-pressed={speed === inspector.clock.speed}
              onClick={() => ask(api.setClock({ speed }))}
            >
              {label}
            </button>
          ))}
        </div>
      </section>
    </>
  );
}

function Face() {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const now = inspector.now().toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return <p className="clock-face">{now}</p>;
}

function OwnStep() {
  const [typed, setTyped] = useState('');
  const advance = typed.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (advance !== '') ask(api.setClock({ advance }));
      }}
    >
      <div className="form-row">
        <Labelled label="By">
          {(control) => (
            <input
              {...control}
              className="block-input"
              placeholder="90s, 5m, 1.5h, 2d"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Labelled>
        <button type="submit" className="plain beside">
          Move
        </button>
      </div>
    </form>
  );
}
