import type { Bridge } from '../../bridge.ts';
import { refreshPerson } from '../../people/refresh-person.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onPerson =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'person')) return refreshPerson(bridge, turn);
    return turn.finish('not a change of a person');
  };
