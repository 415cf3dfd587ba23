export { CannotTry } from './live-bench.ts';
export { type Comparison, liveFacts, WrongChannelError } from './live-facts.ts';
export { SandboxStartError } from './store/database.ts';
export { type Sandbox, startSandbox } from './start.ts';
export type { SandboxSeed } from './seed.ts';
export type { PastMessage } from './workspace/messages.ts';
