/** Bolt with a listener that does nothing: the least that an acknowledgement costs. */
import bolt from '@slack/bolt';

const { SLACK_API_URL = '', BOT_TOKEN = '', APP_TOKEN = '' } = process.env;
const app = new bolt.App({
  token: BOT_TOKEN,
  appToken: APP_TOKEN,
  socketMode: true,
  logLevel: bolt.LogLevel.ERROR,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
app.message(async () => Promise.resolve());
process.on('SIGTERM', () => process.exit());
await app.start();
console.log('{"msg":"ready"}');
