import type { AckFn, ViewClosedAction, ViewResponseAction, ViewSubmitAction } from '@slack/bolt';
import { expect, test } from 'vitest';

import { ADA, HELP, HeldClock, Mailbox, openSandbox, SEED, webClient } from '../open-sandbox.ts';
import { FILLED, FORM, page, type Stage, stage } from './open-modal.ts';
import { rawSocket } from '../raw-socket.ts';

const SUBMIT = { user: 'ada', values: FILLED };
const TROUBLE = 'We had some trouble connecting. Try again?';

interface Submissions extends Stage {
  bodies: Mailbox<ViewSubmitAction>;
}

/** A stage whose app answers submissions of the form with `answer`. */
async function answering(answer: (ack: AckFn<ViewResponseAction>) => Promise<void>): Promise<Submissions> {
  const bodies = new Mailbox<ViewSubmitAction>();
  const staged = await stage((app) => {
    app.view<ViewSubmitAction>('form', async ({ ack, body }) => {
      bodies.put(body);
      await answer(ack);
    });
    app.view({ type: 'view_closed', callback_id: 'form' }, async ({ ack }) => ack());
    app.action('next', async ({ ack }) => ack());
  });
  return { ...staged, bodies };
}

test('a submission has the user, the current view and its values; an empty response closes it', async () => {
  const { sandbox, open, bodies } = await answering((ack) => ack());
  const id = await open({ ...FORM, private_metadata: 'IT-1' });
  expect(await sandbox.control.submitView(SUBMIT)).toEqual({
    result: 'closed',
    views: { stack: [], home: null },
  });
  const [body] = await bodies.first(1);
  expect(body).toMatchObject({
    type: 'view_submission',
    team: { id: SEED.team.id, domain: SEED.team.domain },
    user: { id: ADA, username: 'ada', name: 'ada', team_id: SEED.team.id },
    api_app_id: SEED.app.id,
    trigger_id: expect.any(String) as string,
    response_urls: [],
    is_enterprise_install: false,
    view: {
      id,
      callback_id: 'form',
      private_metadata: 'IT-1',
      state: { values: { why: { text: { type: 'plain_text_input', value: 'because' } } } },
      blocks: [{ block_id: 'why' }],
    },
  });
});

test('the client rejects an empty required field and sends nothing', async () => {
  const { sandbox, open, bodies } = await answering((ack) => ack());
  await open(FORM);
  const errors = { why: 'Please complete this required field.' };
  const refused = await sandbox.control.submitView({ user: 'ada' });
  expect(refused).toMatchObject({ result: 'errors', by: 'client', errors });
  expect(refused.views.stack).toMatchObject([{ errors }]);
  await sandbox.control.submitView(SUBMIT);
  expect(bodies.items).toHaveLength(1);
});

test('the app’s errors are shown under their fields until the next submission', async () => {
  let answers = 0;
  const { sandbox, open } = await answering(async (ack) => {
    answers += 1;
    if (answers > 1) await ack();
    else await ack({ response_action: 'errors', errors: { why: 'Say more.' } });
  });
  await open(FORM);
  const first = await sandbox.control.submitView(SUBMIT);
  expect(first).toMatchObject({ result: 'errors', by: 'app', errors: { why: 'Say more.' } });
  expect(first.views.stack).toMatchObject([
    { errors: { why: 'Say more.' }, state: { values: { why: { text: { value: 'because' } } } } },
  ]);
  expect(await sandbox.control.submitView({ user: 'ada' })).toMatchObject({ result: 'closed' });
});

test('update replaces the view, push adds one on top, and an empty response goes back', async () => {
  const turns: ViewResponseAction[] = [
    { response_action: 'update', view: { ...FORM, title: { type: 'plain_text', text: 'Two' } } },
    { response_action: 'push', view: { ...FORM, title: { type: 'plain_text', text: 'Three' } } },
  ];
  const { sandbox, open } = await answering(async (ack) => {
    const turn = turns.shift();
    await (turn ? ack(turn) : ack());
  });
  const id = await open(FORM);
  const updated = await sandbox.control.submitView(SUBMIT);
  expect(updated).toMatchObject({ result: 'updated', views: { stack: [{ id, title: { text: 'Two' } }] } });
  const pushed = await sandbox.control.submitView({ user: 'ada' });
  expect(pushed).toMatchObject({
    result: 'pushed',
    views: { stack: [{ id }, { root_view_id: id, previous_view_id: id, title: { text: 'Three' } }] },
  });
  const back = await sandbox.control.submitView(SUBMIT);
  expect(back).toMatchObject({ result: 'closed', views: { stack: [{ id, title: { text: 'Two' } }] } });
});

test('clear closes the whole modal', async () => {
  const turns: ViewResponseAction[] = [{ response_action: 'push', view: FORM }, { response_action: 'clear' }];
  const { sandbox, open } = await answering(async (ack) => {
    const turn = turns.shift();
    await (turn ? ack(turn) : ack());
  });
  await open(FORM);
  expect((await sandbox.control.submitView(SUBMIT)).views.stack).toHaveLength(2);
  expect(await sandbox.control.submitView(SUBMIT)).toMatchObject({
    result: 'cleared',
    views: { stack: [] },
  });
});

test('an invalid response leaves the modal open with a notice', async () => {
  const broken: unknown[] = [
    { response_action: 'nonsense' },
    { response_action: 'errors', errors: { nowhere: 'No such field.' } },
    { response_action: 'update', view: { type: 'modal', blocks: [] } },
    { response_action: 'push', view: { ...FORM, external_id: 'taken' } },
  ];
  const { client, sandbox, open } = await answering(async (ack) => ack(broken.shift() as ViewResponseAction));
  await client.views.publish({ user_id: ADA, view: { type: 'home', blocks: [], external_id: 'taken' } });
  await open(FORM);
  const outcomes = [];
  for (const _ of Array.from(broken)) outcomes.push(await sandbox.control.submitView(SUBMIT));
  expect(outcomes).toMatchObject([
    { result: 'failed', error: 'invalid_response' },
    { messages: [expect.stringContaining('nowhere')] },
    {
      messages: expect.arrayContaining([
        expect.stringContaining('missing required field: title'),
      ]) as string[],
    },
    { messages: ['duplicate_external_id'], views: { stack: [{ notice: TROUBLE }] } },
  ]);
});

test('a submission not acknowledged in 3 s leaves the modal open with a notice, and is not sent again', async () => {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const socket = await rawSocket(sandbox);
  const typing = sandbox.control.command({ channel: 'it-help', user: 'ada', command: '/form', text: '' });
  const [command] = await socket.envelopes.first(1);
  if (command) socket.ack(command);
  await typing;
  await webClient(sandbox).views.open({
    trigger_id: command?.payload['trigger_id'] as string,
    view: FORM,
  });
  const submitting = sandbox.control.submitView(SUBMIT);
  const [, submission] = await socket.envelopes.first(2);
  await expect(sandbox.control.submitView(SUBMIT)).rejects.toThrow('is being submitted');
  clock.advance(3_000);
  sandbox.control.tick();
  expect(await submitting).toMatchObject({
    result: 'failed',
    error: 'operation_timeout',
    views: { stack: [{ notice: TROUBLE, state: { values: { why: { text: { value: 'because' } } } } }] },
  });
  if (submission) socket.ack(submission);
  expect(sandbox.control.views('ada').stack).toHaveLength(1);
  expect(socket.envelopes.items).toHaveLength(2);
});

test('closing goes back by one view; the cross and clear_on_close close all; views with notify_on_close send an event', async () => {
  const closed = new Mailbox<ViewClosedAction>();
  const triggers = new Mailbox<string>();
  const { client, sandbox, open } = await stage((app) => {
    app.view<ViewClosedAction>({ type: 'view_closed', callback_id: /.*/ }, async ({ ack, body }) => {
      closed.put(body);
      await ack();
    });
    app.action('next', async ({ ack, body }) => {
      await ack();
      if ('trigger_id' in body) triggers.put(body.trigger_id);
    });
  });
  const told = { notify_on_close: true, callback_id: 'told' };
  let presses = 0;
  const push = async (title: string, more = {}) => {
    presses += 1;
    const viewId = sandbox.control.views('ada').stack.at(-1)?.id;
    await sandbox.control.interact({ user: 'ada', viewId, action: 'next' });
    const trigger_id = (await triggers.first(presses)).at(-1) ?? '';
    const { view } = await client.views.push({ trigger_id, view: page(title, more) });
    return view?.id;
  };

  const first = await open(page('1', told));
  const second = await push('2', told);
  expect(await sandbox.control.closeView({ user: 'ada' })).toMatchObject({
    closed: [second],
    views: { stack: [{ id: first }] },
  });
  const quiet = await push('2, which does not ask');
  const third = await push('3', told);
  expect((await sandbox.control.closeView({ user: 'ada', all: true })).closed).toEqual([third, quiet, first]);
  const root = await open(page('1', told));
  await push('2', { ...told, clear_on_close: true });
  expect((await sandbox.control.closeView({ user: 'ada' })).views.stack).toEqual([]);

  const bodies = await closed.first(5);
  const said = bodies.map(({ view, is_cleared }) => `${view.title.text} ${is_cleared}`);
  // The events of one cross come in any order.
  expect([said[0], ...said.slice(1).sort()]).toEqual(['2 false', '1 true', '1 true', '2 true', '3 true']);
  expect(bodies[0]).toMatchObject({ type: 'view_closed', user: { id: ADA }, view: { id: second } });
  expect(bodies.map(({ view }) => view.id)).toContain(root);
  expect(bodies.map(({ view }) => view.state.values)).toEqual([{}, {}, {}, {}, {}]);
});

test('a button press in a modal has the view with all values, and no message or response_url', async () => {
  const bodies = new Mailbox<unknown>();
  const { sandbox, open } = await stage((app) => {
    app.action(/.*/, async ({ ack, body }) => {
      bodies.put(body);
      await ack();
    });
  });
  const viewId = await open({ ...FORM, blocks: [...FORM.blocks, ...page('').blocks] });
  const outcome = await sandbox.control.interact({ user: 'ada', viewId, action: 'next', values: FILLED });
  expect(outcome).toHaveProperty('payload');
  const [body] = await bodies.first(1);
  expect(body).toMatchObject({
    type: 'block_actions',
    user: { id: ADA },
    container: { type: 'view', view_id: viewId },
    trigger_id: expect.any(String) as string,
    view: { id: viewId, state: { values: { why: { text: { value: 'because' } } } } },
    actions: [
      {
        type: 'button',
        action_id: 'next',
        block_id: 'buttons',
        text: { text: 'Next' },
        action_ts: expect.any(String) as string,
      },
    ],
  });
  for (const absent of ['message', 'channel', 'response_url', 'state'])
    expect(body).not.toHaveProperty(absent);
});

test('the value of an input block arrives with the submission, and at once only with dispatch_action', async () => {
  const bodies = new Mailbox<{ actions: unknown[] }>();
  const { sandbox, open } = await stage((app) => {
    app.action(/.*/, async ({ ack, body }) => {
      bodies.put(body as { actions: unknown[] });
      await ack();
    });
  });
  const field = {
    type: 'input' as const,
    label: { type: 'plain_text' as const, text: 'Told' },
    element: { type: 'plain_text_input' as const, action_id: 'text' },
  };
  const viewId = await open({
    ...FORM,
    blocks: [...FORM.blocks, { ...field, block_id: 'told', dispatch_action: true }],
  });
  const type = (blockId: string) =>
    sandbox.control.interact({ user: 'ada', viewId, action: { actionId: 'text', blockId, value: blockId } });
  expect(await type('why')).toEqual({ sent: false });
  expect(await type('told')).toHaveProperty('payload');
  expect(await bodies.first(1)).toMatchObject([
    {
      actions: [{ type: 'plain_text_input', block_id: 'told', value: 'told' }],
      view: { state: { values: { why: { text: { value: 'why' } }, told: { text: { value: 'told' } } } } },
    },
  ]);
  expect(bodies.items).toHaveLength(1);
});

test('a conversation chosen in a field with response_url_enabled gives the app a response_url', async () => {
  const { sandbox, open, bodies } = await answering((ack) => ack());
  await open({
    ...FORM,
    blocks: [
      {
        type: 'input',
        block_id: 'where',
        label: { type: 'plain_text', text: 'Where' },
        element: {
          type: 'conversations_select',
          action_id: 'conversation',
          response_url_enabled: true,
          default_to_current_conversation: true,
        },
      },
    ],
  });
  await sandbox.control.submitView({ user: 'ada' });
  const [body] = await bodies.first(1);
  expect(body?.response_urls).toMatchObject([
    { block_id: 'where', action_id: 'conversation', channel_id: HELP },
  ]);
  await fetch(body?.response_urls?.[0]?.response_url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'from the form', response_type: 'in_channel' }),
  });
  expect((await sandbox.control.messages('it-help')).map(({ text }) => text)).toEqual(['from the form']);
});

test('a view that a person does not see cannot be submitted, closed or pressed, and the error names what is shown', async () => {
  const { sandbox, open } = await answering((ack) => ack());
  await expect(sandbox.control.submitView({ user: 'ada' })).rejects.toThrow('no modal is open before "ada"');
  const viewId = await open(page('no button to submit'));
  await expect(sandbox.control.submitView({ user: 'ada' })).rejects.toThrow('no submit button');
  await expect(sandbox.control.closeView({ user: 'ben', viewId })).rejects.toThrow('no modal is open');
  await expect(sandbox.control.interact({ user: 'ada', viewId: 'V0', action: 'next' })).rejects.toThrow(
    viewId,
  );
  await expect(sandbox.control.interact({ user: 'ada', viewId, action: 'other' })).rejects.toThrow(
    'it has: next',
  );
});
