export { type Sandbox, type SandboxOptions, SandboxStartError, startSandbox } from './start.ts';
export type { SandboxSeed } from './seed.ts';
export type { Control, State } from './control/control.ts';
export { ControlError } from './control/find.ts';
export type { ShownMessage } from './control/shown.ts';
export type { Entry, EntryOf } from './journal.ts';
