export { registerEngineGauges } from './gauges.ts';
export { Engine, type EngineOptions } from './engine.ts';
export { GiveUp, LaneLost, leaveToNewer, RetryLater } from './errors.ts';
export { type ClassFigures, type DeadLetter, readClassFigures } from './operate.ts';
export { ENGINE_SQL } from './schema.ts';
export type { EngineTables } from './tables.ts';
export {
  type BodyOf,
  type Done,
  type Handler,
  laneOf,
  newWork,
  type NewWork,
  type NewWorkOptions,
  type PlanningTx,
  type Work,
  workFor,
  type WorkKind,
  workKind,
} from './work.ts';
