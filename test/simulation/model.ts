import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';

import { systemTimers } from '../../src/platform/timers.ts';
import type { Chance } from './chance.ts';

/** How the model of AI agents behaves at a call, and how likely that is. */
const BEHAVIOURS = {
  answers: 6,
  'does not know': 1,
  'is slow': 1.5,
  'answers 429': 1,
  'answers 503': 1.5,
  'breaks off': 1,
  hangs: 0.7,
  'answers with something else': 0.7,
  'refuses the key': 0.3,
} as const;
type Behaviour = keyof typeof BEHAVIOURS;
export const MODEL_FAULTS = Object.keys(BEHAVIOURS).filter((name) => name !== 'answers');

const SLOWEST_MS = 20_000;
/** How what it says begins. */
export const SAID = 'the model says';

/** The server of the model that AI agents ask, which no seed kills: its answers are what may go wrong. */
export class Model {
  readonly #chance: Chance;
  readonly #count: (behaviour: string) => void;
  readonly #server = createServer((request, response) => {
    request.resume();
    request.on('end', () => this.#behave(response));
  });
  #isWell = true;
  #calls = 0;

  /** @param count is told of all behaviours but answers. */
  constructor(chance: Chance, count: (behaviour: string) => void) {
    this.#chance = chance;
    this.#count = count;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port);
    await once(this.#server, 'listening');
  }

  /** From now on it fails now and then, or answers every call. */
  setWell(isWell: boolean): void {
    this.#isWell = isWell;
  }

  close(): void {
    this.#server.close();
  }

  #behave(response: ServerResponse): void {
    const behaviour: Behaviour = this.#isWell ? 'answers' : this.#chance.weighted(BEHAVIOURS);
    if (behaviour !== 'answers') this.#count(behaviour);
    const say = (content: string) => send(response, 200, { choices: [{ message: { content } }] });
    const answer = `${SAID} ${++this.#calls}: hand it in [1].`;
    switch (behaviour) {
      case 'answers':
        say(answer);
        return;
      case 'does not know':
        say('NO_ANSWER');
        return;
      case 'is slow':
        systemTimers.after(this.#chance.next() * SLOWEST_MS, () => say(answer));
        return;
      case 'answers 429':
        response.setHeader('retry-after', String(1 + this.#chance.below(20)));
        send(response, 429, {});
        return;
      case 'answers 503':
        send(response, 503, {});
        return;
      case 'breaks off':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"choices":');
        response.socket?.destroy();
        return;
      case 'hangs':
        return;
      case 'answers with something else':
        send(response, 200, { choices: [] });
        return;
      case 'refuses the key':
        send(response, 401, {});
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
