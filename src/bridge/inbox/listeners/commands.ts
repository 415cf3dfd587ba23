import type { Bridge } from '../../bridge.ts';
import { runCommand } from '../../features/commands/run-command.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onCommand =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'command')) return runCommand(bridge, turn);
    return turn.finish('not a command');
  };
