export { type Sandbox, SandboxStartError, startSandbox } from './start.ts';
export type { SandboxSeed } from './seed.ts';
