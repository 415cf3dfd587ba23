import { DEMO } from '../../../src/start/demo.ts';
import { startTap, type TapAction, type TapPoint } from '../../harness/tap.ts';
import { until } from '../../harness/until.ts';
import { startProcess, startWorld, type ProcessWorld, type World } from '../../harness/world.ts';
import { bridgeSettings } from '../../harness/bridge-settings.ts';

/**
 * Service, sandbox, and a bridge in its own process; all requests from and to the bridge go through a tap.
 */
export interface TappedBridge {
  service: World['service'];
  chat: World['chat'];
  bridge: ProcessWorld;
  /** The environment with the bridge's database. */
  environment: World['environment'];
  /**
   * Ends the bridge with SIGKILL at the nth step from now on; resolves with that step, or undefined after
   * `unarm`.
   */
  killAtStep(n: number): { done: Promise<TapPoint | undefined>; unarm: () => void };
  /** Ends the bridge with SIGKILL at the first matching step; resolves with it. */
  killWhere(isMeant: (point: TapPoint) => boolean): Promise<TapPoint | undefined>;
  /** Lets something else happen at the first matching step; resolves with it. */
  interfereWhere(isMeant: (point: TapPoint) => boolean, action: TapAction): Promise<TapPoint | undefined>;
  /** The service's URL for the bridge, with `/api`. */
  serviceUrl: string;
  apiKey: World['apiKey'];
  /** The sandbox's URL. */
  chatUrl: string;
  /** The number of steps so far. */
  steps(): number;
  /** The number of calls of a Web API method through the tap. */
  calls(method: string): number;
  /** Waits until the bridge has nothing left to do. */
  untilBridgeIdle(): Promise<void>;
  /** Ends all three; compare both sides before. */
  end(): Promise<void>;
}

/** How chat delivers events: by signed requests, which go through a tap, or by Socket Mode. */
export type Transport = 'http' | 'socket';

interface TapOptions {
  transport?: Transport;
  /** Further settings of the service. */
  ofService?: Record<string, string>;
  /**
   * Whether the bridge's requests to chat go through a tap. Then nobody gets answers to commands and buttons: they go to
   * addresses that chat makes, which are not the tap's, and the bridge answers no others.
   */
  tapsChat?: boolean;
}

export async function startTappedBridge({
  transport = 'http',
  ofService = {},
  tapsChat = true,
}: TapOptions = {}): Promise<TappedBridge> {
  const settings = { ALLOW_PRIVATE_WEBHOOKS: 'true', ...ofService };
  const base = await startWorld(settings, ['service', '--demo']);
  // Set before the bridge reads and caches it: requesters get a survey (B40).
  const desk = (await base.service.listQueues({})).items.find(({ prefix }) => prefix === DEMO.itPrefix);
  await base.service.updateQueue({
    params: { id: desk?.id ?? '' },
    body: { settings: { enableCSAT: true } },
  });
  const sandbox = await base.startAlongside(['sandbox']);
  let passed = 0;
  const calls = new Map<string, number>();
  let armed:
    | {
        isMeant: (point: TapPoint) => boolean;
        resolve: (point: TapPoint | undefined) => void;
        action: TapAction | 'kill';
      }
    | undefined;
  const programs: { bridge?: ProcessWorld } = {};
  const at = async (point: TapPoint): Promise<TapAction> => {
    passed += 1;
    if (point.when === 'arrived') calls.set(point.request, (calls.get(point.request) ?? 0) + 1);
    const { bridge } = programs;
    if (!armed || !bridge || !armed.isMeant(point)) return 'go on';
    const { resolve, action } = armed;
    armed = undefined;
    if (action === 'kill') await bridge.kill();
    resolve(point);
    return action === 'kill' ? 'drop' : action;
  };
  const door = await startTap('door', '', at);
  const api = await startTap('service', base.urls.root, at);
  const web = await startTap('chat', sandbox.urls.sandbox, at);
  const bridge = await startProcess(
    {
      DATABASE_URL: base.environment['DATABASE_URL'] ?? '',
      SERVICE_URL: `${api.url}/api`,
      ...bridgeSettings(tapsChat ? web.url : sandbox.urls.sandbox, transport),
      PUBLIC_URL: door.url,
      RECONCILE_EVERY_SECONDS: '2',
      CHAT_READS_PER_MINUTE: '6000',
    },
    ['bridge'],
  );
  door.target = bridge.urls.root;
  programs.bridge = bridge;
  if (transport === 'http')
    // A slow machine may take longer than the three seconds after which Slack lets the admin try again.
    await until('chat to take the request URL', () =>
      sandbox.chat.post('app', { requestUrl: `${door.url}/slack/events` }).catch(() => undefined),
    );

  function interfereWhere(
    isMeant: (point: TapPoint) => boolean,
    action: TapAction | 'kill',
  ): Promise<TapPoint | undefined> {
    const { promise, resolve } = Promise.withResolvers<TapPoint | undefined>();
    armed = { isMeant, resolve, action };
    return promise;
  }

  return {
    service: base.service,
    chat: sandbox.chat,
    bridge,
    environment: base.environment,
    killAtStep: (n) => {
      const { promise: done, resolve } = Promise.withResolvers<TapPoint | undefined>();
      let left = n;
      armed = { isMeant: () => --left <= 0, resolve, action: 'kill' };
      return {
        done,
        unarm: () => {
          if (armed?.resolve !== resolve) return;
          armed = undefined;
          resolve(undefined);
        },
      };
    },
    killWhere: (isMeant) => interfereWhere(isMeant, 'kill'),
    interfereWhere,
    serviceUrl: `${api.url}/api`,
    apiKey: base.apiKey,
    chatUrl: sandbox.urls.sandbox,
    steps: () => passed,
    calls: (method) => calls.get(`POST /api/${method}`) ?? 0,
    untilBridgeIdle: () => base.untilBridgeIdle(),
    end: async () => {
      await bridge.kill();
      await Promise.all([sandbox.stop(), base.stop()]);
    },
  };
}
