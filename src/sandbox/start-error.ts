import { StartError } from '../platform/lifecycle.ts';

/** The sandbox cannot start; the message says what to do. */
export class SandboxStartError extends StartError {
  override readonly name = 'SandboxStartError';
}
