/**
 * What a careful team builds from existing parts: Bolt, pg-boss and undici. It stores each event as a job
 * before it acknowledges it, runs the jobs of a thread in order, and retries them until the service accepts
 * them. It keeps no links between messages, and does not handle edits, deletions or the way back to chat. Of
 * the maintained Postgres queues, pg-boss used less CPU here than graphile-worker: it fetches and completes
 * jobs of several threads at once.
 */
import bolt from '@slack/bolt';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { request } from 'undici';

const {
  DATABASE_URL = '',
  SERVICE_URL = '',
  SERVICE_API_TOKEN = '',
  SLACK_API_URL = '',
  BOT_TOKEN = '',
  APP_TOKEN = '',
} = process.env;
const QUEUE = 'event';
/** As the documentation of pg-boss recommends: new jobs wake the worker, and each fetch takes several. */
const WORK = { batchSize: 20, burstWhenBatchFull: true, perJobResults: true } as const;
const WORKERS = 2;

const app = new bolt.App({
  token: BOT_TOKEN,
  appToken: APP_TOKEN,
  socketMode: true,
  logLevel: bolt.LogLevel.ERROR,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
const pool = new pg.Pool({ connectionString: DATABASE_URL });
const boss = new PgBoss({ connectionString: DATABASE_URL, max: 20, useListenNotify: true });
boss.on('error', console.error);

type Received = Parameters<typeof app.processEvent>[0];
const listeners = app.processEvent.bind(app);
// Bolt acknowledges an event before its listeners run; here the event is stored first.
app.processEvent = async ({ body, ack }: Received) => {
  const { event } = body as { event?: { channel?: string; thread_ts?: string; ts?: string } };
  const thread = `${event?.channel ?? ''} ${event?.thread_ts ?? event?.ts ?? ''}`;
  await boss.send(QUEUE, body, { singletonKey: thread });
  await ack();
};

/** The tickets of recently used threads. */
const tickets = new Map<string, string>();

async function ticketOf(root: string): Promise<string | undefined> {
  const known = tickets.get(root);
  if (known !== undefined) return known;
  const { rows } = await pool.query<{ id: string }>('select id from ticket where root = $1', [root]);
  const [stored] = rows;
  if (stored) tickets.set(root, stored.id);
  return stored?.id;
}

async function post(path: string, body: unknown): Promise<{ id: string; code: string }> {
  const answer = await request(`${SERVICE_URL}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-token': SERVICE_API_TOKEN },
    body: JSON.stringify(body),
  });
  if (answer.statusCode >= 300) throw new Error(`the service answered ${answer.statusCode}`);
  return (await answer.body.json()) as { id: string; code: string };
}

app.event('app_mention', async ({ event, say }) => {
  if (event.thread_ts !== undefined || (await ticketOf(event.ts)) !== undefined) return;
  const ticket = await post('/tickets', {
    title: event.text.slice(0, 100),
    description: event.text,
    source: 'CHAT',
    chatChannelId: event.channel,
    chatTimestamp: event.ts,
  });
  await pool.query('insert into ticket (root, id) values ($1, $2) on conflict do nothing', [
    event.ts,
    ticket.id,
  ]);
  await say({ text: `Opened ${ticket.code}`, thread_ts: event.ts });
});

app.message(async ({ message }) => {
  if (message.subtype !== undefined || message.thread_ts === undefined) return;
  const ticketId = await ticketOf(message.thread_ts);
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
await pool.query('create table if not exists ticket (root text primary key, id text not null)');
await boss.start();
await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', notify: true, retryLimit: 1_000 });
async function startWorker(): Promise<void> {
  const worker = await boss.work<Received['body']>(QUEUE, WORK, async (jobs) => {
    // Only new jobs wake the worker; without this, jobs of the same threads that waited for these would run
    // seconds later.
    boss.notifyWorker(worker);
    return Promise.all(
      jobs.map(async ({ id, data }) => {
        try {
          await listeners({ body: data, ack: () => Promise.resolve() });
          return { id, status: 'completed' as const };
        } catch (error) {
          return { id, status: 'failed' as const, output: { message: String(error) } };
        }
      }),
    );
  });
}
for (let n = 0; n < WORKERS; n++) await startWorker();
await app.start();
console.log('{"msg":"ready"}');
