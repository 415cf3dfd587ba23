import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { useBrowser } from './browser.ts';
import { openSettings, type } from './open-settings.ts';

const browser = useBrowser();

/** Holds back each write to an address until it is let through, the earliest first. */
async function holdWrites(page: Page, address: string) {
  const gates: PromiseWithResolvers<undefined>[] = [];
  let isOpen = false;
  const isWrite = (response: Response) => response.request().method() === 'PUT';
  await page.route(address, async (route) => {
    if (route.request().method() === 'PUT' && !isOpen) {
      const gate = Promise.withResolvers<undefined>();
      gates.push(gate);
      await gate.promise;
    }
    await route.continue();
  });
  return {
    /** Lets the next write through, once it is asked for, and waits until the page has its answer. */
    letThrough: async () => {
      const gate = await until('a write', () => Promise.resolve(gates[0]));
      const answered = page.waitForResponse(isWrite);
      gates.shift();
      gate.resolve(undefined);
      await (await answered).finished();
      await page.evaluate(
        'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
      );
    },
    letAllThrough: () => {
      isOpen = true;
      for (const gate of gates) gate.resolve(undefined);
    },
  };
}

/** A service with two queues and a canned reply, whose settings are open. */
async function openReply() {
  const service = await startTestService();
  const create = async (path: string, body: object) => (await service.call('POST', path, { body })).body;
  const queues = [
    await create('/queues', { name: 'Laboratory', prefix: 'LAB' }),
    await create('/queues', { name: 'Library', prefix: 'LIB' }),
  ];
  const { id } = await create('/canned-replies', {
    title: 'Reset',
    shortcut: 'reset',
    content: 'Press it',
    isShared: true,
  });
  const { page } = await openSettings(browser, service, `canned-replies/${id}`);
  const reply = async () =>
    (await service.call('GET', '/canned-replies')).body.items[0] as unknown as {
      isShared: boolean;
      shortcut: string;
      queueIds: string[];
    };
  return { page, queues, reply, writes: await holdWrites(page, `**/desk/api/canned-replies/${id}`) };
}

test('a switch that is pressed again before it is written shows the second press, which is written last', async () => {
  const { page, reply, writes } = await openReply();
  const shared = page.getByRole('switch', { name: 'Shared' });
  await shared.press(' ');
  await shared.press(' ');
  expect(await shared.isChecked()).toBe(true);
  await writes.letThrough();
  expect([await shared.isChecked(), (await reply()).isShared]).toEqual([true, false]);
  await writes.letThrough();
  expect([await shared.isChecked(), (await reply()).isShared]).toEqual([true, true]);
});

test('of several that are chosen before the first is written, none is lost', async () => {
  const { page, queues, reply, writes } = await openReply();
  await page.getByRole('button', { name: 'Add queue' }).click();
  for (const name of ['Laboratory', 'Library'])
    await page.getByRole('option', { name: new RegExp(name) }).click();
  await page.keyboard.press('Escape');
  for (const name of ['Laboratory', 'Library'])
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
  writes.letAllThrough();
  const ids = queues.map(({ id }) => id).toSorted();
  await until('both queues', async () => String((await reply()).queueIds.toSorted()) === String(ids));
});

test('a text that is typed on while it is written is not taken for another user’s, and is written at the next Enter', async () => {
  const { page, reply, writes } = await openReply();
  const field = page.getByLabel('Shortcut');
  await type(field, 'again');
  await field.fill('again-and-again');
  await writes.letThrough();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect([await field.inputValue(), (await reply()).shortcut]).toEqual(['again-and-again', 'again']);
  await field.press('Enter');
  await writes.letThrough();
  await until('the second text', async () => (await reply()).shortcut === 'again-and-again');
  expect(await field.inputValue()).toBe('again-and-again');
});

test('holidays that are removed one after the other, before the first is written, are all removed; the next one is typed meanwhile', async () => {
  const service = await startTestService();
  const { body: made } = await service.call('POST', '/business-hours', {
    body: {
      name: 'Lisbon',
      timeZone: 'Europe/Lisbon',
      days: [{ day: 1, from: '09:00', to: '17:00' }],
      holidays: [
        { date: '2026-12-25', name: 'Christmas' },
        { date: '2026-12-26', name: 'The day after' },
      ],
    },
  });
  const holidays = async () => {
    const [hours] = (await service.call('GET', '/business-hours')).body.items;
    return (hours as unknown as { holidays: { name: string }[] }).holidays.map(({ name }) => name);
  };
  const { page } = await openSettings(browser, service, `business-hours/${made.id}`);
  const writes = await holdWrites(page, `**/desk/api/business-hours/${made.id}`);
  const add = async (date: string, name: string) => {
    await page.getByLabel('Date').fill(date);
    await page.getByLabel('Name of the holiday').fill(name);
    await page.getByLabel('Name of the holiday').press('Enter');
  };
  await page.getByRole('button', { name: 'Remove Christmas' }).click();
  await page.getByRole('button', { name: 'Remove The day after' }).click();
  await add('2027-01-01', 'New Year');
  await add('2027-05-01', 'May Day');
  await page.getByLabel('Name of the holiday').fill('Half');
  writes.letAllThrough();
  await until('the holidays', async () => String(await holidays()) === 'New Year,May Day');
  expect(await page.getByLabel('Name of the holiday').inputValue()).toBe('Half');
});

test('what is dragged goes to where it is let go, though its last move is not drawn yet', async () => {
  const service = await startTestService();
  const { page } = await openSettings(browser, service, 'statuses');
  const grip = (name: string) => page.getByRole('button', { name: `Move “${name}”`, exact: true });
  await grip('Done').hover();
  await page.mouse.down();
  const { x = 0, y = 0 } = (await grip('Open').boundingBox()) ?? {};
  await page.evaluate(
    `for (const kind of ['pointermove', 'pointerup'])
      document.querySelector('[aria-label="Move “Done”"]')
        .dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId: 1, clientX: ${x}, clientY: ${y} }));`,
  );
  await page.mouse.up();
  await until('it to be the first', async () => {
    const { items } = (await service.call('GET', '/statuses?sortBy=order')).body;
    return items[0]?.label === 'Done';
  });
});

test('a dialog that a key opens hears the next key, though something still moves on the page', async () => {
  const service = await startTestService();
  const { body: queue } = await service.call('POST', '/queues', {
    body: { name: 'Laboratory', prefix: 'LAB' },
  });
  const { page } = await openSettings(browser, service, `queues/${queue.id}`);
  const radio = page.getByRole('radio', { name: /^All agents/ });
  await radio.waitFor();
  await page.evaluate(
    `document.body.dispatchEvent(new TransitionEvent('transitionrun', { bubbles: true, propertyName: 'color' }))`,
  );
  await radio.press(' ');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
