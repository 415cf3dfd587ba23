import type { WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { activateOutline, filled } from '../harness/workflow-templates.ts';
import {
  deskPicture,
  lookAt,
  openTicket,
  putTogether,
  ROOT,
  signIn,
  withPrograms,
} from './picture-programs.ts';

/**
 * `node test/pictures/take-workflows.ts` takes the pictures of workflows again: what requesters and the team see of them
 * in chat, and what the desk shows of their runs; it needs an emoji font. With `dark`, all of them in the dark, as files
 * of their own.
 */
const [REQUESTS, TRIAGE] = ['it-help', 'it-triage'];
const { ada, mira, sam } = DEMO.people;
const isDark = process.argv.includes('dark');
const colorScheme = isDark ? 'dark' : 'light';
const named = (name: string) => (isDark ? `${name}-dark` : name);

await withPrograms(async ({ chat, service, browser }) => {
  const idOf = async ({ email }: { email: string }) =>
    (await service.listUsers({ query: { email } })).items[0]?.id ?? '';
  const queueOf = async (prefix: string) =>
    (await service.listQueues({})).items.find((queue) => queue.prefix === prefix)?.id ?? '';
  const statusOf = async (label: string) =>
    (await service.listStatuses({})).items.find((status) => status.label === label)?.id ?? '';
  const setStatus = async (id: string, label: string) =>
    service.updateTicket({ params: { id }, body: { data: { statusId: await statusOf(label) } } });
  const rootOf = async (id: string) =>
    (await service.readTicket({ params: { id } })).chatThreads.find(({ type }) => type === 'REQUEST')
      ?.messageTs ?? '';
  const inThread = async (id: string, words: string) => {
    const root = await rootOf(id);
    await until(`“${words}” in the thread`, async () =>
      (await chat.thread(REQUESTS, root)).some(({ text }) => text.includes(words)),
    );
    return `${REQUESTS}/${root}`;
  };
  const channels = (await service.listWorkspaces({})).items.flatMap((each) => each.chatTriageChannels);
  const triage = channels.find(({ channelName }) => channelName === TRIAGE)?.id;
  /** Runs a workflow while something happens; then it is there no more, so that each picture has one. */
  const withWorkflow = async <Result>(
    outline: WorkflowOutline,
    work: (id: string) => Promise<Result>,
    queueIds: string[] | null = null,
  ): Promise<Result> => {
    const id = await activateOutline(service, outline, queueIds);
    const result = await work(id);
    await service.updateWorkflow({ params: { id }, body: { name: outline.name, state: 'Deprovisioning' } });
    return result;
  };

  // 1. Out of hours: the team works on another day.
  const hours = (await service.listBusinessHours({})).items.find(({ isDefault }) => isDefault);
  const day = ((new Date().getUTCDay() + 2) % 7) + 1;
  const params = { id: hours?.id ?? '' };
  await service.updateBusinessHours({ params, body: { days: [{ day, from: '09:00', to: '10:00' }] } });
  const away = await withWorkflow(filled('Out of hours', {}), async () => {
    const { id } = await openTicket(chat, service, REQUESTS, 'The door of the lab does not open');
    return inThread(id, 'read first thing');
  });
  await service.updateBusinessHours({ params, body: { days: hours?.days ?? [] } });

  // 2. Approval, with each decision.
  const approval = filled('Approval', { ask: { approverIds: [await idOf(sam)] } });
  const [approved, declined] = await withWorkflow(
    { ...approval, steps: { ...approval.steps, opened: ['A ticket is opened', 'ticket.created'] } },
    async () => {
      const decided: string[] = [];
      for (const [title, field, words] of [
        ['Access to the payroll reports', 'approvedAt', 'Your request was approved'],
        ['Access to the door system', 'declinedAt', 'Your request was declined'],
      ] as const) {
        const { id } = await openTicket(chat, service, REQUESTS, title);
        await until(
          'the question',
          async () => (await service.readTicket({ params: { id } })).approvers.length > 0,
        );
        const data = { [field]: new Date().toISOString() };
        await service.updateTicket({ params: { id }, body: { data, approverId: await idOf(sam) } });
        decided.push(await inThread(id, words));
      }
      return decided;
    },
  );

  // 3. A reminder, and the end.
  const reminded = await withWorkflow(
    filled('Remind the requester, then close', { first: { minutes: 0 }, second: { minutes: 0.1 } }),
    async () => {
      const { id } = await openTicket(chat, service, REQUESTS, 'I cannot print');
      await setStatus(id, 'Waiting');
      const place = await inThread(id, 'We still need your answer');
      await until(
        'the end',
        async () => (await service.readTicket({ params: { id } })).status.label === 'Closed',
      );
      return place;
    },
  );

  // 4. Onboarding: three tickets, and word when all are done.
  const welcome = await withWorkflow(filled('Onboarding', {}), async (workflow) => {
    const { id } = await openTicket(chat, service, REQUESTS, 'Grace Okoro starts on Monday');
    await service.runWorkflow({
      params: { id: workflow },
      body: { ticketId: id, userId: await idOf(mira) },
    });
    const children = await until('the children', async () => {
      const { children: found } = await service.readTicket({ params: { id } });
      return found.length === 3 ? found : undefined;
    });
    for (const child of children) await setStatus(child.id, 'Done');
    return inThread(id, 'Everything is ready');
  });

  // 5. An urgent ticket that nobody answers; and a bad rating.
  const lead = await idOf(mira);
  const urgent = await withWorkflow(
    filled('Escalate an unanswered urgent ticket', {
      wait: { minutes: 0.1 },
      post: { channelId: triage },
      tell: { userId: lead },
    }),
    async () => {
      const { id, code } = await service.createTicket({
        body: {
          title: 'Smoke in the server room',
          priority: 'URGENT',
          requesterId: await idOf(ada),
          queueId: await queueOf('IT'),
        },
      });
      const words = `Nobody has replied to ${code}`;
      await until('both posts', async () => {
        const all = [await chat.messages(TRIAGE), await chat.messages('@deskbridge', 'mira')];
        return all.every((messages) => messages.some(({ text }) => text.includes(words)));
      });
      return { id, words };
    },
  );
  const rated = await withWorkflow(filled('A bad rating', { tell: { userId: lead } }), async () => {
    const { id } = await openTicket(chat, service, REQUESTS, 'The projector flickers');
    await setStatus(id, 'Done');
    await service.rateTicket({ params: { id }, body: { score: 1, userId: await idOf(ada) } });
    const { code } = await service.readTicket({ params: { id } });
    return until('the message', async () =>
      (await chat.messages('@deskbridge', 'mira')).find(({ text }) =>
        text.includes(`${code} was rated badly`),
      ),
    );
  });

  // 6. A ticket that goes to the queue that its words name.
  const queueIds = (await service.listQueues({})).items.map(({ id }) => id);
  const routed = await withWorkflow(
    filled('Route by words', { move: { queueId: await queueOf('PPL') } }),
    async () => {
      const { id } = await openTicket(chat, service, REQUESTS, 'My invoice of October is wrong');
      const moved = await queueOf('PPL');
      await until('the move', async () => (await service.readTicket({ params: { id } })).queueId === moved);
      await until('its card to say so', async () =>
        JSON.stringify(await chat.thread(REQUESTS, await rootOf(id))).includes('People'),
      );
      return `${REQUESTS}/${await rootOf(id)}`;
    },
    queueIds,
  );

  const look = (me: string, place: string, last: string, caption: string) =>
    lookAt(browser, { me, place, last, caption, colorScheme });
  await putTogether(browser, named('workflows-threads'), [
    await look(ada.id, away, 'read first thing', 'out of hours'),
    await look(ada.id, approved ?? '', 'was approved', 'an approval'),
    await look(ada.id, declined ?? '', 'was declined', 'the other decision'),
    await look(ada.id, reminded, 'We still need', 'a reminder, then closed'),
    await look(ada.id, welcome, 'Everything is ready', 'an onboarding'),
    await look(ada.id, routed, 'invoice of October', 'routed by its words'),
  ]);
  await putTogether(browser, named('workflows-team'), [
    await look(sam.id, TRIAGE, urgent.words, 'an urgent ticket that nobody answers: to the team'),
    await look(mira.id, rated.channel, urgent.words, 'the same to the lead, and a bad rating'),
  ]);

  for (const { id, name } of (await service.listWorkflows({ query: { limit: 100 } })).items)
    if (['Onboarding', 'Out of hours', 'Remind the requester, then close'].includes(name))
      await service
        .updateWorkflow({ params: { id }, body: { name, state: 'Active' } })
        .catch(() => undefined);

  // 7. At the desk: a ticket with its runs, one of them as a timeline, and the page of the workflows.
  const onboarding = (await service.listWorkflowRuns({ query: { search: 'Onboarding' } })).items[0];
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme });
  const page = await context.newPage();
  await signIn(page, 'Mira Lind');
  await page.goto(`${ROOT}/tickets/${onboarding?.ticketCode ?? ''}`);
  const section = page.getByRole('region', { name: 'Workflows' });
  await section.getByText('Onboarding').waitFor();
  await deskPicture(page, named('workflows-ticket'));
  await section.getByText('Onboarding').click();
  await page.getByRole('dialog').getByText('Finished').waitFor();
  await deskPicture(page, named('workflows-run'));
  await page.goto(`${ROOT}/settings/workflows`);
  await page.getByRole('table', { name: 'Workflows' }).waitFor();
  await deskPicture(page, named('workflows-settings'));
  await page.getByRole('link', { name: 'Onboarding' }).first().click();
  await page.getByRole('table', { name: 'Runs' }).waitFor();
  await deskPicture(page, named('workflows-page'));
  await context.close();
});
