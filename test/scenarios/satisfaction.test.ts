import { expect, test } from 'vitest';

import type { SeenMessage } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { SETTINGS_CACHE_MS, startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
const BOT = '@deskbridge';

interface Preview {
  blocks?: unknown[];
}

test('B40 B41 a requester gets one survey, and links to a ticket lead to a page and unfurl with its title and status', async () => {
  const world = await startWorld();
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, 'ada', `<@${bot}> my screen is dark`);
  const { id, queueId, code } = await ticketAt(service, ts);
  const labels = new Map((await service.listStatuses({ query: {} })).items.map((one) => [one.label, one.id]));
  const setStatus = async (label: string) => {
    const data = { statusId: labels.get(label) ?? null };
    await service.updateTicket({ params: { id }, body: { data } });
    await world.untilIdle();
  };
  const asks = async () =>
    (await chat.messages(BOT, 'ada')).filter(
      ({ bot_id, ephemeralFor }) => bot_id !== undefined && ephemeralFor === undefined,
    );
  const press = (user: string, message: SeenMessage, action: string) =>
    chat.post('interact', { user, channel: message.channel, messageTs: message.ts, action });

  const ask = async (enableCSAT: boolean) => {
    await service.updateQueue({ params: { id: queueId ?? '' }, body: { settings: { enableCSAT } } });
    // The bridge caches a queue for at most a quarter of a minute.
    world.clock.pass(SETTINGS_CACHE_MS);
  };
  await ask(false);
  await setStatus('Done');
  expect(await asks()).toEqual([]);
  await setStatus('Open');
  await ask(true);
  await chat.post('noise', { unfurlDomains: ['127.0.0.1'] });
  await setStatus('Done');
  const [asked] = await asks();
  expect(asked?.text).toContain('How did we do?');
  await setStatus('Open');
  await setStatus('Done');
  expect(await asks()).toHaveLength(1);

  if (!asked) throw new Error('not asked');
  await press('ada', asked, 'survey_score_4');
  await world.untilIdle();
  const [rated] = await asks();
  expect(rated?.text).toContain('you rated this 4 out of 5');
  if (!rated) throw new Error('not there');
  await press('ada', rated, 'survey_words');
  await until('the form for words', async () => (await chat.modal('ada'))?.callback_id === 'survey_feedback');
  await chat.post('submit-view', { user: 'ada', values: { feedback: { feedback: 'Quick & kind' } } });
  await press('ada', rated, 'survey_score_5');
  await world.untilIdle();
  const record = await service.readTicket({ params: { id } });
  expect(record.csat).toEqual([{ score: 5, feedback: 'Quick & kind' }]);
  expect(await asks()).toHaveLength(1);

  const card = (await chat.thread(CHANNEL, ts)).find(({ text }) => text.includes('dark'));
  const [, address = ''] = /<(http[^|>]*\/shared\/[^|>]*)\|/.exec(JSON.stringify(card?.blocks)) ?? [];
  const page = await fetch(address);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('my screen is dark')]);
  const bare = `${world.urls.root}/tickets/${code}`;
  expect((await fetch(`${world.urls.root}/shared/${code}`)).status).toBe(404);

  const preview = async (text: string, channel = 'general') => {
    const said = await chat.say(channel, 'ben', text);
    return until('the preview', async () => {
      const found = (await chat.messages(channel)).find((one) => one.ts === said.ts);
      const { attachments = [] } = (found ?? {}) as { attachments?: Preview[] };
      return attachments.length > 0 ? JSON.stringify(attachments) : undefined;
    });
  };
  expect(await preview(`see <${bare}>`)).toMatch(/my screen is dark.*Done/);
  // Also where the bot is not a member, and before the message is sent.
  await chat.post('create-channel', { user: 'ada', name: 'office', members: ['ben'] });
  expect(await preview(`in the office: <${bare}>`, 'office')).toMatch(/my screen is dark.*Done/);
  /** The unfurls in the draft of a message. */
  const drafted = async (text: string) => {
    const { unfurlId } = await chat.post<{ unfurlId: string }>('draft', { user: 'ben', text });
    return until('the preview in the draft', async () => {
      const answer = await fetch(`${world.urls.sandbox}/_control/calls?method=chat.unfurl`);
      const { calls } = (await answer.json()) as {
        calls: { args: Record<string, unknown>; error?: string }[];
      };
      const call = calls.find(({ args }) => args['unfurl_id'] === unfurlId && args['source'] === 'composer');
      return call && JSON.stringify([call.args['unfurls'], call.error]);
    });
  };
  expect(await drafted(`look at <${bare}>`)).toMatch(/my screen is dark.*Done.*null\]$/);
  await service.updateTicket({ params: { id }, body: { data: { private: true } } });
  for (const hidden of [await preview(`and <${bare}>`), await drafted(`this <${bare}>`)]) {
    expect(hidden).toContain('A private ticket');
    expect(hidden).not.toContain('dark');
  }
  expect((await fetch(address)).status).toBe(404);
});
