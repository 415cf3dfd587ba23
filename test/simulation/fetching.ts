import { createRequire } from 'node:module';

import { Agent, Dispatcher, fetch, FormData, Headers, Request, Response, setGlobalDispatcher } from 'undici';

import { type Program, runningProgram } from './program.ts';

/** The connections of each program, and of the simulation itself (`undefined`), in the world that runs. */
const agents = new Map<Program | undefined, Agent>();

/**
 * Gives each program its own connections, where a process has the same for all: with a program that is killed, others
 * would lose theirs.
 */
class ConnectionsOfPrograms extends Dispatcher {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const program = runningProgram();
    let agent = agents.get(program);
    if (!agent) agents.set(program, (agent = new Agent()));
    return agent.dispatch(options, handler);
  }
}

/** Ends all connections of a world that has ended. */
export async function resetFetching(): Promise<void> {
  const ended = [...agents.values()];
  agents.clear();
  await Promise.all(ended.map((agent) => agent.destroy()));
}

export function installFetching(): void {
  setGlobalDispatcher(new ConnectionsOfPrograms());
  Object.assign(globalThis, { fetch, FormData, Headers, Request, Response });
  // Undici has one timer for all of its time limits: it would belong to the program that sets the first, and end with
  // it.
  const timers = createRequire(import.meta.url)('undici/lib/util/timers.js') as Record<string, unknown>;
  const { setTimeout, clearTimeout } = globalThis;
  Object.assign(timers, {
    setTimeout,
    clearTimeout,
    setFastTimeout: setTimeout,
    clearFastTimeout: clearTimeout,
  });
}
