import { Agent, request } from 'undici';

const newAgent = () => new Agent({ connections: 64, pipelining: 1 });
let agent = newAgent();

export interface Answered {
  status: number;
  body: unknown;
}

/** Sends one request with a JSON body; any status is a result. */
export async function callService(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const answer = await request(url, {
    method,
    dispatcher: agent,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) };
}

/** Sends one request and throws if the status is not 2xx. */
export async function must(...args: Parameters<typeof callService>): Promise<unknown> {
  const { status, body } = await callService(...args);
  if (status >= 300) throw new Error(`${args[0]} ${args[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Processes all items, `atOnce` of them at the same time; resolves with the milliseconds of each, in order.
 */
export async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < items.length) {
        const at = next++;
        const began = performance.now();
        await work(items[at] as Item);
        times[at] = performance.now() - began;
      }
    }),
  );
  return times;
}

/** Polls until `look` returns a value; throws after `withinMs`. */
export async function soon<Found>(
  what: string,
  look: () => Promise<Found | undefined>,
  withinMs = 120_000,
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Closes all connections; later calls open new ones. */
export async function closeLoad(): Promise<void> {
  const before = agent;
  agent = newAgent();
  await before.destroy();
}
