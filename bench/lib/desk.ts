import { DEMO } from '../../src/demo.ts';
import { freePorts } from '../../test/harness/ports.ts';
import { must, soon } from './load.ts';
import { type Program, startBaseline, startDeskbridge } from './programs.ts';
import { type Recorder, startRecorder } from './recorder.ts';

/** A service and a sandbox, each a process; whoever bridges between them is started beside. */
export interface Desk {
  /** Of the service, without `/api`. */
  service: string;
  sandbox: string;
  recorder: Recorder;
  token: string;
  startBridge(environment?: Record<string, string>): Promise<Program & { url: string }>;
  /** A file of `bench/baselines`. */
  startBot(file: string): Promise<Program>;
  /** Everything that chat tells has been acknowledged. */
  calm(): Promise<void>;
}

/** The rigs' own key: no limit but this machine's. */
const TOKEN = 'dbk_bench_key_of_the_rigs';
const UNLIMITED = '100000000';

export async function startDesk(environment: Record<string, string> = {}): Promise<Desk> {
  const [port = 0, sandboxPort = 0, bridgePort = 0] = await freePorts(3);
  const service = `http://127.0.0.1:${port}`;
  const sandbox = `http://127.0.0.1:${sandboxPort}`;
  const common = { SERVICE_API_TOKEN: TOKEN, RATE_LIMIT_PER_MINUTE: UNLIMITED, ...environment };
  await startDeskbridge(['service', '--demo'], {
    ...common,
    PORT: String(port),
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  });
  await startDeskbridge(['sandbox'], { SANDBOX_PORT: String(sandboxPort), ...environment });
  const recorder = await startRecorder(service);
  return {
    service,
    sandbox,
    recorder,
    token: TOKEN,
    startBridge: async (more = {}) => {
      const bridge = await startDeskbridge(['bridge'], {
        ...common,
        PORT: String(bridgePort),
        SERVICE_URL: `${recorder.url}/api`,
        SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-rigs',
        SLACK_API_URL: `${sandbox}/api`,
        SLACK_BOT_TOKEN: DEMO.app.botToken,
        SLACK_APP_TOKEN: DEMO.app.appToken,
        CHAT_POSTS_PER_SECOND: '100000',
        ...more,
      });
      return { ...bridge, url: `http://127.0.0.1:${bridgePort}` };
    },
    startBot: (file) =>
      startBaseline(file, {
        SERVICE_URL: `${recorder.url}/api`,
        SERVICE_API_TOKEN: TOKEN,
        SLACK_API_URL: `${sandbox}/api/`,
        BOT_TOKEN: DEMO.app.botToken,
        APP_TOKEN: DEMO.app.appToken,
      }),
    calm: async () => {
      await soon('all to be acknowledged', async () => {
        const { undelivered } = (await must('GET', `${sandbox}/_control/state`)) as { undelivered: number };
        return undelivered === 0 ? true : undefined;
      });
    },
  };
}
