import { expect, test } from 'vitest';

import { BUDGETS, budgetsAt } from '../../../src/bridge/slack/limits.ts';

test('the operator’s number of posts per second changes the pace of posts, and of nothing else', () => {
  expect(budgetsAt(1)).toEqual(BUDGETS);
  for (const perSecond of [0.5, 2])
    expect(budgetsAt(perSecond)).toEqual(
      BUDGETS.map((budget) => {
        const times = budget.method === 'chat.postMessage' ? perSecond : 1;
        return { ...budget, perMinute: budget.perMinute * times };
      }),
    );
});
