import { expect, it } from 'vitest';

import { systemClock } from '../../../src/platform/clock.ts';
import { transaction } from '../../../src/platform/database/open.ts';
import type { Tools } from '../../../src/service/handler.ts';
import { flowOf } from '../../../src/service/workflow-config/flow.ts';
import { contentOf } from '../../../src/service/workflow-config/outline.ts';
import { runStep } from '../../../src/service/workflows/run-step.ts';
import { sharedService } from '../harness.ts';
import { create } from '../tickets/requests.ts';
import { openTables } from '../world.ts';

const newWorkspace = sharedService();

it('an error of deskbridge itself is tried again some times, then it fails the step, and nothing of it is written', async () => {
  const service = await newWorkspace();
  const { db } = openTables(service);
  const { id: ticketId } = await create(service);
  const flow = flowOf(
    contentOf({
      steps: { opened: ['Opened', 'ticket.created'], note: ['Note', 'message.note', { content: 'x' }] },
      leads: [['opened', 'note']],
    }),
  );
  const step = flow.steps[1];
  if (!step) throw new Error('no step');
  const broken = () => {
    throw new TypeError('an error in the code');
  };
  const attempt = (count: number) =>
    transaction(db, (tx) =>
      runStep(tx, {
        tools: { newId: broken } as unknown as Tools,
        now: systemClock.now(),
        workspaceId: service.workspaceId,
        workflow: { id: 'wfl_1', queueIds: null, flow },
        chain: ['wfl_1'],
        ticketId,
        step,
        scope: { ticket: {}, outputs: new Map() },
        beganAt: systemClock.now(),
        attempt: count,
      }),
    );
  await expect(attempt(7)).rejects.toThrow(TypeError);
  expect(await attempt(8)).toEqual({
    kind: 'failed',
    error: 'deskbridge itself failed at this step. Its log says why.',
    inputs: { content: 'x' },
  });
});
