/**
 * What a team writes in an afternoon: Bolt listeners that post directly to the service. It keeps its threads
 * in memory, stores nothing, and loses what is in progress when it ends.
 */
import bolt from '@slack/bolt';
import { request } from 'undici';

const {
  SERVICE_URL = '',
  SERVICE_API_TOKEN = '',
  SLACK_API_URL = '',
  BOT_TOKEN = '',
  APP_TOKEN = '',
} = process.env;

const app = new bolt.App({
  token: BOT_TOKEN,
  appToken: APP_TOKEN,
  socketMode: true,
  logLevel: bolt.LogLevel.ERROR,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
/** The ticket of each thread. */
const tickets = new Map<string, string>();

async function post(path: string, body: unknown): Promise<{ id: string; code: string }> {
  const answer = await request(`${SERVICE_URL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-token': SERVICE_API_TOKEN },
    body: JSON.stringify(body),
  });
  return (await answer.body.json()) as { id: string; code: string };
}

app.event('app_mention', async ({ event, say }) => {
  if (event.thread_ts !== undefined) return;
  const ticket = await post('/tickets', {
    title: event.text.slice(0, 100),
    description: event.text,
    source: 'CHAT',
  });
  tickets.set(event.ts, ticket.id);
  await say({ text: `Opened ${ticket.code}`, thread_ts: event.ts });
});

app.message(async ({ message }) => {
  if (message.subtype !== undefined || message.thread_ts === undefined) return;
  const ticketId = tickets.get(message.thread_ts);
  if (ticketId === undefined) return;
  await post('/ticket-messages', {
    ticketId,
    content: message.text,
    source: 'CHAT',
    chatChannelId: message.channel,
    chatTimestamp: message.ts,
  });
});

process.on('SIGTERM', () => process.exit());
await app.start();
console.log('{"msg":"ready"}');
