import { TriangleAlert } from 'lucide-react';

import { NativeButton } from '../../kit/native-button.tsx';
import { api } from '../api.ts';
import { store } from '../store.ts';
import { applyChange } from './apply-change.ts';
import { CLOCK_TOLERANCE_S, inspector } from './state.ts';

/** A bar on every screen that lists active faults, a changed clock and a lost connection. */
export function Bar() {
  const words = inspector.unusual();
  const all = [store.trouble, ...words].filter((each) => each !== undefined);
  return (
    <div id="bar" className="bar" role="status" hidden={all.length === 0}>
      <TriangleAlert size={18} aria-hidden />
      <span className="bar-words">{all.join(' · ')}</span>
      {words.length > 0 && (
        <>
          <NativeButton size="small" onClick={() => inspector.show('faults')}>
            Look
          </NativeButton>
          <NativeButton size="small" onClick={() => applyChange(turnAllOff())}>
            Turn all off
          </NativeButton>
        </>
      )}
    </div>
  );
}

async function turnAllOff(): Promise<void> {
  await api.clearFaults();
  const { speed, ahead } = inspector.clock;
  if (speed !== 1 || Math.abs(ahead) > CLOCK_TOLERANCE_S) await api.setClock({ reset: true });
}
