import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';
import { slackSettings } from '../harness/bridge-settings.ts';

const ADMINS = DEMO.channels.general.id;

/** The bot's own posts in the admin channel, in order. */
const linesIn = async ({ chat }: World) =>
  (await chat.messages(ADMINS)).filter(({ bot_id: bot }) => bot === DEMO.app.botId).map(({ text }) => text);

describe('ADMIN_CHANNEL', () => {
  test('a failure and its recovery are each posted there as one line, once for all replicas, and ping nobody', async () => {
    const world = await startWorld({
      ADMIN_CHANNEL: ADMINS,
      HEALTH_EVERY_SECONDS: '1',
      SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-admin-test',
    });
    const other = await world.startAlongside(['bridge'], {
      PUBLIC_URL: world.urls.root,
      ...slackSettings(world.urls.sandbox),
    });
    const { service } = world;
    const [hook] = (await service.listWebhooks({})).items;
    const switchHook = (active: boolean) =>
      service.updateWebhook({ params: { id: hook?.id ?? '' }, body: { active } });

    // The bridge corrects its webhook when it compares both sides, for the first time just after its start.
    const badNews = async () => {
      await switchHook(false);
      return (await linesIn(world)).length === 1;
    };
    await until('the bad news', badNews, { seen: () => linesIn(world) });
    await switchHook(true);
    await until('the good news', async () => (await linesIn(world)).length === 2, {
      seen: () => linesIn(world),
    });
    const [queue] = (await service.listQueues({})).items;
    await service.linkChatChannel({
      body: { channelId: 'C0NOWHERE0', channelName: '<!channel>', queueId: queue?.id ?? '' },
    });
    await until('the next bad news', async () => (await linesIn(world)).length === 3);
    // Several more checks of both replicas: nothing is posted twice.
    const looks = () =>
      world.log.concat(other.log).filter(({ route }) => route === '/api/webhooks/:id').length;
    const before = looks();
    await until('further looks', async () => looks() >= before + 4);

    const lines = await linesIn(world);
    expect(lines).toEqual([
      expect.stringMatching(/^🔴 The webhook is disabled at the service.* Start the bridge again/),
      '🟢 Recovered: The webhook is registered, active and leads here.',
      expect.stringMatching(/^🔴 The bot is not in 1 channel linked to a queue: #&lt;!channel&gt;\./),
    ]);
    expect(other.log.some(({ event }) => event === 'chat.connected')).toBe(true);
  });
});
