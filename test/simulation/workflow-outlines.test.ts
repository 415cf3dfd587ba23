import { expect, test } from 'vitest';

import { contentOf } from '../../src/service/workflow-config/outline.ts';
import { problemsOf } from '../../src/service/workflows/checks.ts';
import { Chance } from './chance.ts';
import { drawWorkflow, type Start, STARTS } from './workflow-outlines.ts';

const NAMED = { tagIds: ['tag'], channelIds: ['channel'], userIds: ['person'], workflowIds: ['other'] };

test.each(Object.keys(STARTS) as Start[])(
  'every drawn workflow can be activated: it starts with %s',
  (start) => {
    const actions = new Set<string>();
    for (let seed = 0; seed < 300; seed++) {
      const outline = drawWorkflow(new Chance(seed), 'w1', start, NAMED);
      expect([seed, problemsOf(contentOf(outline))]).toEqual([seed, []]);
      for (const [, action] of Object.values(outline.steps)) actions.add(action);
    }
    // Only by hand all of them: the trigger and 14 kinds of steps.
    expect(actions.size).toBe(start === 'by hand' ? 15 : 11);
  },
);
