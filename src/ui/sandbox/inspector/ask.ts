import { attempt } from '../attempt.ts';
import { inspector } from './state.ts';

/** Waits for a change of the sandbox, then reads the inspector's state again; an error is shown to the person. */
export function ask(change: Promise<unknown>): void {
  void attempt(inspector.asked(change));
}
