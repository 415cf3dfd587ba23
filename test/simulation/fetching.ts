import { Agent, fetch, FormData, Headers, Request, Response, type RequestInit } from 'undici';

import { type Program, runningProgram } from './program.ts';

let own = new Agent();
const agents = new WeakMap<Program, Agent>();

/** Lets what the simulation itself fetches use new connections. */
export function resetFetching(): void {
  own = new Agent();
}

/**
 * Gives each program its own connections for `fetch`, which are otherwise shared by a process: with a program that is
 * killed, others would lose theirs.
 */
export function installFetching(): void {
  const agentOf = (program: Program | undefined): Agent => {
    if (!program) return own;
    const found = agents.get(program) ?? new Agent();
    agents.set(program, found);
    return found;
  };
  const fetchAsProgram = (input: string | URL | Request, init: RequestInit = {}) =>
    fetch(input, { dispatcher: agentOf(runningProgram()), ...init });
  Object.assign(globalThis, { fetch: fetchAsProgram, FormData, Headers, Request, Response });
}
