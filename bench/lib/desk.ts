import type { TeamThread, Workspace } from '../../src/contract/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { freePorts } from '../../test/harness/ports.ts';
import { must, soon } from './load.ts';
import { atEnd, type Program, startBaseline, startDeskbridge } from './programs.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { bridgeSettings } from '../../test/harness/bridge-settings.ts';

export interface Bridge extends Program {
  /** Ends the process alone, to be started again; `stop` disables its webhook, too. */
  end(): Promise<void>;
}

/** A service and a sandbox, each in its own process; the bridge or bot under test is started separately. */
export interface Desk {
  /** The URL of the service, without `/api`. */
  service: string;
  sandbox: string;
  recorder: Recorder;
  /** Sets what the threads of the team's channels show; before a bridge starts. */
  setTeamThreads(shown: TeamThread): Promise<void>;
  /** Headers for requests to the service. */
  key: Record<string, string>;
  /** The programs other than the bridge. */
  programs: { service: Program; sandbox: Program };
  /**
   * Starts a bridge, by default with its own database. A second bridge needs a `PORT` and, to share the work,
   * the `DATABASE_URL` of the first.
   */
  startBridge(environment?: Record<string, string>): Promise<Bridge>;
  /** Starts a file of `bench/baselines`. */
  startBot(file: string, environment?: Record<string, string>): Promise<Program>;
  /** Resolves when every event of chat has been acknowledged. */
  calm(): Promise<void>;
  /** Stops the desk before the next one starts, so that each measurement begins with an empty desk. */
  stop(): Promise<void>;
}

/** The rigs' own API key, without a rate limit. */
export const TOKEN = 'dbk_bench_key_of_the_rigs';
export const KEY = { 'x-service-api-token': TOKEN };
export const UNLIMITED = '100000000';
/** Bridges that share a database need the same key. */
const ENCRYPTION_KEY = Buffer.alloc(32, 'bench').toString('base64');

export async function startDesk(environment: Record<string, string> = {}): Promise<Desk> {
  const [port = 0, sandboxPort = 0, bridgePort = 0] = await freePorts(3);
  const service = `http://127.0.0.1:${port}`;
  const sandbox = `http://127.0.0.1:${sandboxPort}`;
  const common = {
    SERVICE_API_TOKEN: TOKEN,
    RATE_LIMIT_PER_MINUTE: UNLIMITED,
    TOKEN_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...environment,
  };
  const serviceProgram = await startDeskbridge(['service', '--demo'], {
    ...common,
    PORT: String(port),
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  });
  const sandboxProgram = await startDeskbridge(['sandbox'], {
    SANDBOX_PORT: String(sandboxPort),
    ...environment,
  });
  const recorder = await startRecorder(service);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await recorder.close();
    isOpen = false;
  };
  atEnd(close);
  return {
    service,
    sandbox,
    recorder,
    setTeamThreads: (shown) => setTeamThreads(service, shown),
    key: KEY,
    programs: { service: serviceProgram, sandbox: sandboxProgram },
    startBridge: async (more = {}) => {
      const bridge = await startDeskbridge(['bridge'], {
        ...common,
        PORT: String(bridgePort),
        SERVICE_URL: `${recorder.url}/api`,
        ...bridgeSettings(sandbox),
        CHAT_POSTS_PER_SECOND: '100000',
        ...more,
      });
      const stop = async () => {
        await bridge.stop();
        await forgetWebhooks(service);
      };
      return { ...bridge, end: () => bridge.stop(), stop };
    },
    startBot: (file, more = {}) =>
      startBaseline(file, {
        SERVICE_URL: `${recorder.url}/api`,
        SERVICE_API_TOKEN: TOKEN,
        SLACK_API_URL: `${sandbox}/api/`,
        BOT_TOKEN: DEMO.app.botToken,
        APP_TOKEN: DEMO.app.appToken,
        ...more,
      }),
    stop: async () => {
      await sandboxProgram.stop();
      await close();
      await serviceProgram.stop();
    },
    calm: async () => {
      await soon('all to be acknowledged', async () => {
        const { undelivered } = (await must('GET', `${sandbox}/_control/state`)) as { undelivered: number };
        return undelivered === 0 ? true : undefined;
      });
    },
  };
}

async function setTeamThreads(service: string, shown: TeamThread): Promise<void> {
  const { items } = (await must('GET', `${service}/api/workspaces`, undefined, KEY)) as {
    items: Pick<Workspace, 'chatTriageChannels'>[];
  };
  for (const { channelId, queueId, type } of items.flatMap((one) => one.chatTriageChannels))
    await must('PUT', `${service}/api/chat-channels`, { channelId, queueId, type, teamThread: shown }, KEY);
}

/** Disables the webhooks of a stopped bridge: delivery attempts would add load to the next measurement. */
async function forgetWebhooks(service: string): Promise<void> {
  const url = `${service}/api/webhooks`;
  const { items } = (await must('GET', url, undefined, KEY)) as { items: { id: string; active: boolean }[] };
  for (const { id, active } of items) if (active) await must('PUT', `${url}/${id}`, { active: false }, KEY);
}
