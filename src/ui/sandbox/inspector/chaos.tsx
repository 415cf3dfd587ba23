import { NativeButton } from '../../kit/native-button.tsx';
import { NativeField, NativeInput } from '../../kit/native-field.tsx';
import { api } from '../api.ts';
import type { ChaosState } from '../types.ts';
import { applyChange } from './apply-change.ts';
import { Facts } from './traffic.tsx';

/** Random faults at a low rate, the same for the same seed. */
export function Chaos({ chaos }: { chaos: ChaosState | null }) {
  return chaos ? <RunningChaos chaos={chaos} /> : <ChaosForm />;
}

function RunningChaos({ chaos: { seed, intensity, drops, did } }: { chaos: ChaosState }) {
  return (
    <>
      <p>
        On at {Math.round(intensity * 100)}%, seed <code>{seed}</code>
        {drops ? ', with dropped events.' : '.'}
      </p>
      <Facts facts={Object.entries(did).map(([kind, count]) => [kind.replaceAll('_', ' '), `${count}×`])} />
      <NativeButton kind="danger" onClick={() => applyChange(api.clearFaults())}>
        Stop the chaos
      </NativeButton>
    </>
  );
}

function ChaosForm() {
  const begin = (form: FormData) => {
    const seed = textOfField(form, 'seed');
    applyChange(
      api.chaos({
        intensity: Number(textOfField(form, 'intensity')) / 100,
        drops: form.has('drops'),
        ...(seed === '' ? {} : { seed: Number(seed) }),
      }),
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        begin(new FormData(event.currentTarget));
      }}
    >
      <div className="form-row">
        <NativeField label="How much">
          {(control) => (
            <input {...control} type="range" name="intensity" min={0} max={100} step={5} defaultValue={30} />
          )}
        </NativeField>
        <NativeField label="Seed (optional)">
          {(control) => <NativeInput {...control} name="seed" inputMode="numeric" />}
        </NativeField>
      </div>
      <label className="choice">
        <input type="checkbox" name="drops" />
        <span>Drop events too</span>
      </label>
      <NativeButton type="submit" kind="primary">
        Begin
      </NativeButton>
    </form>
  );
}

function textOfField(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
