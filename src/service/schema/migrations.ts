import type { Migration } from '../../platform/database/migrate.ts';
import { laneCompletion, laneFunctions, lanesMigration } from '../../platform/lanes/index.ts';
import { initial } from './0001-initial.ts';
import { configuration } from './0002-configuration.ts';
import { search } from './0003-search.ts';
import { searchBounds } from './0004-search-bounds.ts';
import { upkeep } from './0005-upkeep.ts';
import { answers } from './0006-answers.ts';
import { replacedThreads } from './0007-replaced-threads.ts';
import { growth } from './0008-growth.ts';
import { storeEvents } from './0010-store-events.ts';
import { openLists } from './0012-open-lists.ts';
import { chatPairs } from './0013-chat-pairs.ts';
import { openBySomebody } from './0014-open-by-somebody.ts';
import { foreignKeyIndexes } from './0015-foreign-key-indexes.ts';
import { revokedKeys } from './0016-revoked-keys.ts';
import { searchEverything } from './0017-search-everything.ts';

/** Name of the Postgres schema that the service's tables live in. */
export const SCHEMA = 'service';

/** Every step, in order. A step that was released is never changed; the next one follows it. */
export const migrations: readonly Migration[] = [
  lanesMigration,
  initial,
  configuration,
  search,
  searchBounds,
  upkeep,
  answers,
  replacedThreads,
  growth,
  laneFunctions('0009-lane-functions'),
  storeEvents,
  laneCompletion('0011-lane-completion'),
  openLists,
  chatPairs,
  openBySomebody,
  foreignKeyIndexes,
  revokedKeys,
  searchEverything,
];
