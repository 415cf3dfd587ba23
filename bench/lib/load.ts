import { Agent, request } from 'undici';

const newAgent = () => new Agent({ connections: 64, pipelining: 1 });
let agent = newAgent();

export interface Answered {
  status: number;
  body: unknown;
}

/** One request with a JSON body; any status is an answer. */
export async function call(
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

/** The same where only 2xx will do. */
export async function must(...args: Parameters<typeof call>): Promise<unknown> {
  const { status, body } = await call(...args);
  if (status >= 300) throw new Error(`${args[0]} ${args[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Does all of them, so many at once; resolves with the milliseconds of each, in the order of the items. */
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

/** Looks until something is found; fails after the time. */
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
