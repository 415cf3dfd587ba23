import { onTestFinished } from 'vitest';

import { classify } from '../../src/bridge/inbox/classify.ts';
import type { BridgeTables } from '../../src/bridge/schema/tables.ts';
import { type BridgeEngine, slotsOf } from '../../src/bridge/work.ts';
import type { Database } from '../../src/platform/database/open.ts';
import { Engine } from '../../src/platform/engine/index.ts';
import { createLog } from '../../src/platform/log.ts';

const log = createLog({ level: 'silent', pretty: false });

/** An engine as a bridge has it, without handlers and not started, which stops with the running test. */
export function bridgeEngine(database: Database<BridgeTables>): BridgeEngine {
  const engine: BridgeEngine = new Engine({ database, log, slots: slotsOf(4), classify });
  onTestFinished(() => engine.stop(0));
  return engine;
}
