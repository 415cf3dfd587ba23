import { expect, test } from 'vitest';

import { type CopySituation, wantsTriageCard } from '../../src/bridge/decide/copies.ts';

const fresh: CopySituation = { private: false, ended: false, assigned: false, silent: false, all: false };

test.each<[string, CopySituation, boolean, boolean]>([
  ['B26 what nobody has taken gets a card', fresh, false, true],
  ['B26 what somebody has taken gets none', { ...fresh, assigned: true }, false, false],
  ['B26 unless the queue wants all', { ...fresh, assigned: true, all: true }, false, true],
  ['B26 what is done with needs none', { ...fresh, ended: true, all: true }, false, false],
  ['B27 a private ticket gets none where everybody reads', { ...fresh, private: true }, false, false],
  ['B27 a private ticket gets one where only the team reads', { ...fresh, private: true }, true, true],
  ['B28 a silent queue gets none', { ...fresh, silent: true, all: true }, true, false],
])('%s', (_, situation, channelIsPrivate, wanted) => {
  expect(wantsTriageCard(situation, channelIsPrivate)).toBe(wanted);
});
