import { type Client, createClient } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { inCall } from '../platform/tracing.ts';

export interface ClientsOptions {
  /** Base URL of the service, with `/api`. */
  url: string;
  tokenHeader: string;
  clock: Clock;
  random: () => number;
}

/** Keys in use at the same time, whose connections are kept open. */
const KEPT = 50;

/** A client of the service per API key. */
export interface Clients {
  of(key: string): Client;
  close(): Promise<void>;
}

export function createClients({ url, tokenHeader, clock, random }: ClientsOptions): Clients {
  // In the order of their last use.
  const byKey = new Map<string, Client>();
  return {
    of(key) {
      const client =
        byKey.get(key) ??
        createClient({
          ...{ baseUrl: url, token: key, tokenHeader },
          ...{ now: () => clock.now(), random, traced: inCall },
        });
      byKey.delete(key);
      byKey.set(key, client);
      const [oldest] = byKey;
      if (byKey.size > KEPT && oldest) {
        byKey.delete(oldest[0]);
        void oldest[1].close();
      }
      return client;
    },
    async close() {
      await Promise.all([...byKey.values()].map((client) => client.close()));
    },
  };
}
