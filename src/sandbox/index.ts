export { CannotTry } from './live-facts/read.ts';
export type { Comparison } from './live-facts/compare.ts';
export { liveFacts, WrongChannelError } from './live-facts/open.ts';
export { SandboxStartError } from './store/database.ts';
export { type Sandbox, startSandbox } from './start.ts';
export type { SandboxSeed } from './seed.ts';
export type { PastMessage } from './workspace/messages.ts';
