import { DEMO } from '../../src/start/demo.ts';

type Transport = 'socket' | 'http';

/**
 * Settings that connect a bridge to the demo's app in a sandbox.
 * @param sandboxUrl without a path.
 */
export function slackSettings(sandboxUrl: string, transport: Transport = 'socket'): Record<string, string> {
  return {
    SLACK_API_URL: `${sandboxUrl}/api/`,
    SLACK_BOT_TOKEN: DEMO.app.botToken,
    ...(transport === 'http'
      ? { SLACK_SIGNING_SECRET: DEMO.app.signingSecret }
      : { SLACK_APP_TOKEN: DEMO.app.appToken }),
  };
}

/** The same for a bridge that runs apart from its service, where it needs a secret for its webhook. */
export function bridgeSettings(sandboxUrl: string, transport: Transport = 'socket'): Record<string, string> {
  return {
    ...slackSettings(sandboxUrl, transport),
    SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-tests',
  };
}
