import { setTimeout as wait } from 'node:timers/promises';

import type { Log } from '../../platform/log.ts';
import type { Installed } from './installations.ts';

/** Interval between attempts to start: the service was unavailable, or Slack rejected a token. */
const TRY_AGAIN_MS = 30_000;

export interface Serving {
  /** The app was removed: the service is no longer used for it. */
  retire(): Promise<void>;
  stop(): Promise<void>;
}

interface Served<Workspace> {
  installed: Installed;
  workspace: Workspace | undefined;
  /** Resolves when it is served, or was stopped before. */
  beginning: Promise<void>;
  stop: (retire: boolean) => Promise<void>;
}

interface ServeOptions<Workspace> {
  installed(): Promise<readonly Installed[]>;
  /** Starts to serve a workspace; retried if it throws. */
  open: (installed: Installed) => Promise<Workspace>;
  left?: (team: string) => void;
  log: Log;
}

/**
 * Serves exactly the installed workspaces. Each starts and stops independently, because it may have to wait for Slack.
 * After a reinstallation it is restarted with its new token, after the old one has stopped: otherwise the old one's
 * cleanup (the webhook) would affect the new one.
 */
export class ServedWorkspaces<Workspace extends Serving> {
  readonly #options: ServeOptions<Workspace>;
  readonly #served = new Map<string, Served<Workspace>>();
  readonly #leaving = new Map<string, Promise<void>>();
  #looking: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: ServeOptions<Workspace>) {
    this.#options = options;
  }

  /** Returns those that are served now. */
  get all(): Workspace[] {
    return [...this.#served.values()].flatMap(({ workspace }) => (workspace ? [workspace] : []));
  }

  /** Returns the installation of a workspace that is served or starting. */
  installed(team: string): Installed | undefined {
    return this.#served.get(team)?.installed;
  }

  /** Undefined while it is not served. */
  get(team: string): Workspace | undefined {
    return this.#served.get(team)?.workspace;
  }

  /** Resolves when the workspace is served, or was stopped before. */
  async begun(team: string): Promise<void> {
    await this.#served.get(team)?.beginning;
  }

  /** Reads the installations, one read at a time; the next one repairs failures. */
  look(): Promise<void> {
    const { log } = this.#options;
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((error: unknown) => log.warn({ err: error }, 'could not read the installations'));
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#looking;
    await Promise.all([...this.#served.values()].map(({ stop }) => stop(false)));
    await Promise.all(this.#leaving.values());
  }

  async #look(): Promise<void> {
    if (this.#isStopping) return;
    const installed = new Map((await this.#options.installed()).map((one) => [one.team, one]));
    for (const [team, one] of this.#served) {
      const now = installed.get(team);
      if (now && now.installedAt.getTime() === one.installed.installedAt.getTime()) continue;
      this.#served.delete(team);
      this.#options.left?.(team);
      this.#letGo(one, now === undefined);
    }
    for (const [team, one] of installed)
      if (!this.#served.has(team)) this.#served.set(team, this.#serve(one));
  }

  /** @param retire the app was removed. The stored data stays in any case. */
  #letGo({ installed: { team }, stop }: Served<Workspace>, retire: boolean): void {
    const { log } = this.#options;
    const before = this.#leaving.get(team) ?? Promise.resolve();
    const left = before
      .then(() => stop(retire))
      .then(() =>
        log.info(
          { event: 'workspace.let_go', team },
          retire ? 'a chat workspace has removed the app' : 'a chat workspace has installed the app again',
        ),
      )
      .catch((error: unknown) => log.error({ err: error, team }, 'a workspace could not be stopped cleanly'))
      .finally(() => {
        if (this.#leaving.get(team) === left) this.#leaving.delete(team);
      });
    this.#leaving.set(team, left);
  }

  #serve(installed: Installed): Served<Workspace> {
    const { log, open } = this.#options;
    const { team, name } = installed;
    const ended = new AbortController();
    const isOver = () => ended.signal.aborted;
    const end = async (workspace: Workspace | undefined, retire: boolean) => {
      if (retire) await workspace?.retire();
      await workspace?.stop();
    };
    let retires = false;
    const begin = async () => {
      await this.#leaving.get(team);
      while (!isOver())
        try {
          const workspace = await open(installed);
          if (isOver()) {
            await end(workspace, retires);
            return;
          }
          one.workspace = workspace;
          log.info({ event: 'workspace.served', team, name }, 'a chat workspace is served');
          return;
        } catch (error) {
          log.error(
            { err: error, event: 'workspace.not_served', team, name },
            'a workspace cannot be served',
          );
          await wait(TRY_AGAIN_MS, undefined, { signal: ended.signal }).catch(() => undefined);
        }
    };
    const one: Served<Workspace> = {
      installed,
      workspace: undefined,
      beginning: Promise.resolve(),
      stop: async (retire) => {
        retires = retire;
        ended.abort();
        const { workspace } = one;
        one.workspace = undefined;
        await end(workspace, retire);
      },
    };
    one.beginning = begin();
    return one;
  }
}
