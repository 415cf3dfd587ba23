import { NativeButton } from '../../kit/native-button.tsx';
import { api } from '../api.ts';
import { Icon } from '../icons.tsx';
import { store } from '../store.ts';
import { applyChange } from './apply-change.ts';
import { CLOCK_TOLERANCE_S, inspector } from './state.ts';

/** A bar on every screen that lists active faults, a changed clock and a lost connection. */
export function Bar() {
  const words = inspector.unusual();
  const isLost = store.me !== '' && !store.connected;
  const lost = isLost ? ['The sandbox cannot be reached; trying again'] : [];
  return (
    <div id="bar" className="bar" role="status" hidden={words.length === 0 && !isLost}>
      <Icon name="warn" />
      <span className="bar-words">{[...lost, ...words].join(' · ')}</span>
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
