export { type Sandbox, type SandboxOptions, SandboxStartError, startSandbox } from './start.ts';
export type { SandboxSeed } from './seed.ts';
export { type Control, ControlError, type State } from './control/control.ts';
export type { ShownMessage } from './control/shown.ts';
export type { Entry, EntryOf } from './journal.ts';
