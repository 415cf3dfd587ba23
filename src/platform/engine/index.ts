export { Engine, type EngineOptions } from './engine.ts';
export { GiveUp, LaneLost, RetryLater } from './errors.ts';
export type { ClassFigures, DeadLetter } from './operate.ts';
export { ENGINE_SQL } from './schema.ts';
export type { EngineTables } from './tables.ts';
export {
  type Done,
  type Handler,
  newWork,
  type NewWork,
  type Plan,
  type Work,
  type WorkKind,
} from './work.ts';
