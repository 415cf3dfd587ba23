import { expect, test } from 'vitest';

import { type Client, UnreachableError } from '../../../src/client/index.ts';
import { Forms } from '../../../src/bridge/tickets/catalogue.ts';
import { form } from '../features/form-samples.ts';

/** A service that is down until its forms are given. */
function serviceWith(given: { forms?: ReturnType<typeof form>[] }): Client {
  return {
    async *all() {
      if (!given.forms) throw new UnreachableError('GET /forms', true, undefined);
      yield* given.forms;
    },
  } as unknown as Client;
}

test('B37 known forms are offered while the service is down, and a request type is only missing if the service says so', async () => {
  const given: { forms?: ReturnType<typeof form>[] } = {};
  let now = new Date('2026-11-20T09:30:00Z');
  const forms = new Forms(serviceWith(given), async () => ['wsp_1'], { now: () => now }, 15_000);
  expect(await forms.all()).toEqual([]);
  await expect(forms.find('rqt_1')).rejects.toBeInstanceOf(UnreachableError);

  const collection = form([], { id: 'rqt_2', type: 'collection' });
  const hidden = form([], { id: 'rqt_3', published: false });
  given.forms = [form([]), collection, hidden];
  expect((await forms.all()).map(({ id }) => id)).toEqual(['rqt_1']);
  expect(await forms.find('rqt_3')).toBeUndefined();

  delete given.forms;
  now = new Date('2026-11-21T09:30:00Z');
  expect((await forms.find('rqt_1'))?.name).toBe('New device');
  await expect(forms.find('rqt_9')).rejects.toBeInstanceOf(UnreachableError);
});
