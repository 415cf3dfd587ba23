import { attempt } from '../attempt.ts';
import { inspector } from './state.ts';

/** Waits for a change of the sandbox, then reloads the inspector. An error is shown to the user. */
export function applyChange(change: Promise<unknown>): void {
  void attempt(inspector.reloadAfter(change));
}
