import { expect, onTestFinished, test } from 'vitest';

import { ADA, BEN, HELP, Mailbox, SEED } from '../open-sandbox.ts';
import { FILLED, FORM, page, refusal, stage } from './open-modal.ts';

test('views.open opens a modal with every field of a Slack view, and generated block and action ids', async () => {
  const { client, sandbox, trigger } = await stage();
  const { view } = await client.views.open({
    trigger_id: await trigger(),
    view: {
      ...FORM,
      private_metadata: 'secret',
      external_id: 'mine',
      blocks: [
        ...FORM.blocks,
        {
          type: 'input',
          label: { type: 'plain_text', text: 'When' },
          element: { type: 'datepicker' },
          optional: true,
        },
      ],
    },
  });
  expect(view).toMatchObject({
    id: expect.stringMatching(/^V[A-Z0-9]+$/) as string,
    team_id: SEED.team.id,
    type: 'modal',
    callback_id: 'form',
    private_metadata: 'secret',
    external_id: 'mine',
    state: { values: {} },
    hash: expect.stringMatching(/^\d{10}\.\w{8}$/) as string,
    clear_on_close: false,
    notify_on_close: false,
    close: null,
    root_view_id: view?.id,
    previous_view_id: null,
    app_id: SEED.app.id,
    bot_id: SEED.app.botId,
    app_installed_team_id: SEED.team.id,
    blocks: [
      { block_id: 'why', optional: false, dispatch_action: false, element: { action_id: 'text' } },
      {
        block_id: expect.stringMatching(/^.{5}$/) as string,
        optional: true,
        element: { action_id: expect.stringMatching(/^.{5}$/) as string },
      },
    ],
  });
  const { stack } = sandbox.control.views('ada');
  expect(stack).toMatchObject([{ id: view?.id, user: ADA, errors: {} }]);
  expect(sandbox.control.views('ben').stack).toEqual([]);
});

test('a trigger works once, for three seconds, and for the app that got it', async () => {
  const { client, clock, trigger } = await stage();
  const open = (trigger_id: string) => client.views.open({ trigger_id, view: FORM });
  const used = await trigger();
  await open(used);
  expect(await refusal(open(used))).toMatchObject({ error: 'exchanged_trigger_id' });
  const late = await trigger();
  clock.advance(3_000);
  expect(await refusal(open(late))).toMatchObject({ error: 'expired_trigger_id' });
  expect(await refusal(open('1234567890123.123456789012.0123456789abcdef'))).toMatchObject({
    error: 'invalid_trigger_id',
  });
});

test('an invalid view does not use up the trigger', async () => {
  const { client, trigger } = await stage();
  const trigger_id = await trigger();
  const { submit: _submit, ...noSubmit } = FORM;
  expect(await refusal(client.views.open({ trigger_id, view: noSubmit }))).toEqual({
    error: 'invalid_arguments',
    messages: [
      '[ERROR] must define `submit` to use an `input` block in modals [json-pointer:/view/blocks/0/input]',
    ],
  });
  await client.views.open({ trigger_id, view: FORM });
});

test('triggers of buttons, shortcuts and submissions open views too', async () => {
  const triggers = new Mailbox<string>();
  const { client, sandbox, open } = await stage((app) => {
    app.action('next', async ({ ack, body }) => {
      await ack();
      if ('trigger_id' in body) triggers.put(body.trigger_id);
    });
    app.shortcut(/.*/, async ({ ack, body }) => {
      await ack();
      triggers.put(body.trigger_id);
    });
    app.view('form', async ({ ack, body }) => {
      await ack();
      if (body.type === 'view_submission') triggers.put(body.trigger_id);
    });
  });
  const { ts = '' } = await client.chat.postMessage({
    channel: HELP,
    text: 'card',
    blocks: page('card').blocks,
  });
  await sandbox.control.interact({ channel: 'it-help', user: 'ada', messageTs: ts, action: 'next' });
  await sandbox.control.shortcut({ user: 'ada', callbackId: 'anywhere' });
  await sandbox.control.shortcut({ user: 'ada', callbackId: 'here', channel: 'it-help', messageTs: ts });
  await open(FORM);
  expect(await sandbox.control.submitView({ user: 'ada', values: FILLED })).toMatchObject({
    result: 'closed',
  });
  for (const trigger_id of await triggers.first(4)) await client.views.open({ trigger_id, view: FORM });
});

test('views.push stacks up to three views, each with the one below and the first', async () => {
  const triggers = new Mailbox<string>();
  const { client, sandbox, open } = await stage((app) => {
    app.action('next', async ({ ack, body }) => {
      await ack();
      if ('trigger_id' in body) triggers.put(body.trigger_id);
    });
  });
  const first = await open(page('1'));
  const press = async (count: number) => {
    const [viewId] = sandbox.control
      .views('ada')
      .stack.slice(-1)
      .map(({ id }) => id);
    await sandbox.control.interact({ user: 'ada', viewId, action: 'next' });
    return (await triggers.first(count)).at(-1) ?? '';
  };
  const second = await client.views.push({ trigger_id: await press(1), view: page('2') });
  const third = await client.views.push({ trigger_id: await press(2), view: page('3') });
  expect(second.view).toMatchObject({ root_view_id: first, previous_view_id: first });
  expect(third.view).toMatchObject({ root_view_id: first, previous_view_id: second.view?.id });
  expect(await refusal(client.views.push({ trigger_id: await press(3), view: page('4') }))).toMatchObject({
    error: 'push_limit_reached',
  });
  expect(sandbox.control.views('ada').stack.map(({ title }) => title.text)).toEqual(['1', '2', '3']);
});

test('only an action in an open modal lets an app push', async () => {
  const triggers = new Mailbox<string>();
  const { client, sandbox, open, trigger } = await stage((app) => {
    app.action('next', async ({ ack, body }) => {
      await ack();
      if ('trigger_id' in body) triggers.put(body.trigger_id);
    });
  });
  const push = async (trigger_id: string | undefined) =>
    refusal(client.views.push({ trigger_id: trigger_id ?? '', view: page('2') }));
  expect(await push(await trigger())).toMatchObject({ error: 'invalid_trigger_id' });

  const viewId = await open(page('1'));
  await sandbox.control.interact({ user: 'ada', viewId, action: 'next' });
  await sandbox.control.closeView({ user: 'ada' });
  expect(await push((await triggers.first(1))[0])).toMatchObject({ error: 'not_found' });

  const home = await client.views.publish({ user_id: ADA, view: { type: 'home', blocks: page('').blocks } });
  await sandbox.control.interact({ user: 'ada', viewId: home.view?.id, action: 'next' });
  expect(await push((await triggers.first(2))[1])).toEqual({
    error: 'invalid_arguments',
    messages: [
      "[ERROR] must match the `type` of the root view whose stack we're pushing onto [json-pointer:/view/type]",
    ],
  });
});

test('views.update finds a view by its id or external id, keeps its id and changes its hash', async () => {
  const { client, sandbox, trigger } = await stage();
  const opened = await client.views.open({
    trigger_id: await trigger(),
    view: { ...page('1'), external_id: 'mine' },
  });
  const view_id = opened.view?.id ?? '';
  const byId = await client.views.update({ view_id, view: { ...page('2'), external_id: 'mine' } });
  expect(byId.view).toMatchObject({ id: view_id, title: { text: '2' } });
  expect(byId.view?.hash).not.toBe(opened.view?.hash);
  const byName = await client.views.update({ external_id: 'mine', view: page('3') });
  expect(byName.view).toMatchObject({ id: view_id, external_id: '' });
  expect(sandbox.control.views('ada').stack).toMatchObject([{ title: { text: '3' } }]);
});

test('an update with an old hash is hash_conflict and changes nothing', async () => {
  const { client, sandbox, trigger } = await stage();
  const opened = await client.views.open({ trigger_id: await trigger(), view: page('1') });
  const { id: view_id = '', hash } = opened.view ?? {};
  const update = (title: string) => client.views.update({ view_id, view: page(title), hash: hash ?? '' });
  await update('2');
  expect(await refusal(update('3'))).toMatchObject({ error: 'hash_conflict' });
  expect(sandbox.control.views('ada').stack).toMatchObject([{ title: { text: '2' } }]);
});

test('one of two concurrent updates with the same hash succeeds', async () => {
  const { client, trigger } = await stage();
  const opened = await client.views.open({ trigger_id: await trigger(), view: page('1') });
  const { id: view_id = '', hash = '' } = opened.view ?? {};
  const outcomes = await Promise.allSettled(
    ['2', '3', '4'].map((title) => client.views.update({ view_id, view: page(title), hash })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a view that is closed or never existed is not_found; naming it twice or not at all is rejected', async () => {
  const { client, sandbox, open } = await stage();
  const view_id = await open(page('1'));
  await sandbox.control.closeView({ user: 'ada' });
  const update = (name: { view_id: string } | { external_id: string }) =>
    refusal(client.views.update({ ...name, view: page('2') }));
  expect(await update({ view_id })).toMatchObject({ error: 'not_found' });
  expect(await update({ external_id: 'nobody' })).toMatchObject({ error: 'not_found' });
  const both = { view_id, external_id: 'mine' };
  expect(await update(both)).toEqual({
    error: 'invalid_arguments',
    messages: ['[ERROR] Cannot provide both `view_id` and `external_id`'],
  });
  expect(await update({ view_id: '' })).toMatchObject({ error: 'invalid_arguments' });
});

test('an external id belongs to one view while that view exists', async () => {
  const { client, sandbox, open, trigger } = await stage();
  const named = page('1', { external_id: 'mine' });
  await open(named);
  const home = { type: 'home' as const, blocks: [], external_id: 'mine' };
  expect(await refusal(client.views.publish({ user_id: BEN, view: home }))).toMatchObject({
    error: 'duplicate_external_id',
  });
  expect(await refusal(client.views.open({ trigger_id: await trigger(), view: named }))).toMatchObject({
    error: 'duplicate_external_id',
  });
  expect(sandbox.control.views('ada').stack).toHaveLength(1);
  await sandbox.control.closeView({ user: 'ada' });
  await client.views.publish({ user_id: BEN, view: home });
});

test('an update keeps values whose block and action ids stay, and resets others', async () => {
  const { client, sandbox, open } = await stage();
  const view_id = await open({ ...FORM, blocks: [...FORM.blocks, { ...input('count'), optional: true }] });
  const failed = await sandbox.control.submitView({ user: 'ada', values: { count: { text: 'three' } } });
  expect(failed).toMatchObject({ result: 'errors', by: 'client' });
  await client.views.update({
    view_id,
    view: { ...FORM, blocks: [input('count', 'four'), input('other', 'x')] },
  });
  const [view] = sandbox.control.views('ada').stack;
  expect(view?.state.values).toEqual({
    count: { text: { type: 'plain_text_input', value: 'three' } },
    other: { text: { type: 'plain_text_input', value: 'x' } },
  });
  expect(view?.errors).toEqual({});
});

test('the live stream notifies a person of their own views only', async () => {
  const { sandbox, open } = await stage();
  const listen = async (as: string) => {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const { body } = await fetch(`${sandbox.url}/_live?as=${as}`, { signal: over.signal });
    const reader = (body ?? expect.fail('no stream')).pipeThrough(new TextDecoderStream()).getReader();
    return async (until: string) => {
      let heard = '';
      while (!heard.includes(until)) heard += (await reader.read()).value ?? expect.fail('the stream ended');
      return heard;
    };
  };
  const [ada, ben] = [await listen(ADA), await listen(BEN)];
  const view = await open(page('1'));
  expect(await ada(view)).toContain('event: view');
  // An event for everyone follows.
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'heard by all' });
  expect(await ben('heard by all')).not.toContain('event: view');
});

test('the log shows when the errors of a form appear', async () => {
  const { sandbox, open } = await stage();
  const view = await open(FORM);
  expect(await sandbox.control.submitView({ user: 'ada', values: {} })).toMatchObject({ result: 'errors' });
  const changes = sandbox.control
    .log()
    .flatMap((entry) => (entry.kind === 'view' && entry.view === view ? entry.change : []));
  expect(changes).toEqual(['opened', 'errors']);
});

test('the log shows whose views opened and closed', async () => {
  const { sandbox, open } = await stage();
  const since = sandbox.control.mark();
  const view = await open(page('1'));
  await sandbox.control.waitFor('view', (entry) => entry.view === view, { since });
  await sandbox.control.closeView({ user: 'ada' });
  const told = sandbox.control.log().filter((entry) => entry.kind === 'view');
  expect(told).toMatchObject([
    { user: ADA, view, type: 'modal', change: 'opened' },
    { user: ADA, view, type: 'modal', change: 'closed' },
  ]);
});

function input(block_id: string, initial_value?: string) {
  return {
    type: 'input' as const,
    block_id,
    label: { type: 'plain_text' as const, text: block_id },
    element: {
      type: 'plain_text_input' as const,
      action_id: 'text',
      ...(initial_value === undefined ? {} : { initial_value }),
    },
  };
}
