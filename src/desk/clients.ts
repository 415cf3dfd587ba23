import { type Client, createClient, openConnections } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { inCall } from '../platform/tracing.ts';

export interface ClientsOptions {
  /** Base URL of the service, with `/api`. */
  url: string;
  tokenHeader: string;
  clock: Clock;
  random: () => number;
}

/** Clients of the service, one per call. */
export interface Clients {
  of(token: string): Client;
  close(): Promise<void>;
}

/**
 * All clients share their connections, and none is kept: an invalid token, of which anyone can send any number, takes
 * nothing from the client of a signed-in user.
 */
export function createClients({ url, tokenHeader, clock, random }: ClientsOptions): Clients {
  const connections = openConnections();
  return {
    of: (token) =>
      createClient({
        baseUrl: url,
        token,
        tokenHeader,
        connections,
        now: () => clock.now(),
        random,
        traced: inCall,
      }),
    close: () => connections.close(),
  };
}
