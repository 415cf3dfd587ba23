import { z } from 'zod';

import type { EventFaults } from '../faults/event-faults.ts';
import { callFault, type CallFault, eventFault, type EventFault, type Listed } from '../faults/rules.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { type Chaos, chaosRequest, type ChaosState } from '../faults/chaos.ts';
import type { Journal } from '../journal.ts';

/** Faults of calls (`faults`, or one alone without the list) and of events, added to those that are on. */
const faultsRequest = z.preprocess(
  (body) => (typeof body === 'object' && body !== null && 'method' in body ? { faults: [body] } : body),
  z.strictObject({
    faults: z.array(callFault).default([]),
    events: z.array(eventFault).default([]),
    /** Switches all others off first. */
    clear: z.boolean().default(false),
  }),
);

interface FaultsRequest {
  faults?: z.input<typeof callFault>[];
  events?: z.input<typeof eventFault>[];
  clear?: boolean;
}

interface FaultsState {
  faults: Listed<CallFault>[];
  events: Listed<EventFault>[];
  chaos: ChaosState | null;
  /** Envelopes that a fault keeps back now. */
  held: number;
}

/** What a test, or a person who wants to see it, lets go wrong. */
export interface Trouble {
  faults(request: FaultsRequest): void;
  /** What is on, and how often each has struck. */
  listFaults(): FaultsState;
  /** Everything goes wrong a little, by a seed that is answered; replaces a chaos that is on. */
  chaos(request?: z.input<typeof chaosRequest>): ChaosState;
  /** Nothing goes wrong any more: chaos and faults are off, and what they kept back goes on its way. */
  calm(): void;
}

export interface TroubleParts {
  calls: CallFaults;
  events: EventFaults;
  chaos: Chaos;
  journal: Journal;
  /** 0 ≤ x < 1; makes a seed where none is given. */
  random: () => number;
}

export function createTrouble({ calls, events, chaos, journal, random }: TroubleParts): Trouble {
  const endChaos = () => {
    const { state } = chaos;
    if (!state) return;
    chaos.end();
    journal.record('chaos', { what: 'off', seed: state.seed, intensity: state.intensity, did: state.did });
  };

  return {
    faults(request) {
      const asked = faultsRequest.parse(request);
      if (asked.clear) {
        calls.clear();
        events.clear();
      }
      calls.add(asked.faults);
      events.add(asked.events);
    },

    listFaults: () => ({
      faults: calls.list(),
      events: events.list(),
      chaos: chaos.state ?? null,
      held: events.held,
    }),

    chaos(request = {}) {
      const asked = chaosRequest.parse(request);
      endChaos();
      const seed = asked.seed ?? Math.floor(random() * 2 ** 32);
      const state = chaos.begin({ seed, intensity: asked.intensity, drops: asked.drops });
      journal.record('chaos', { what: 'on', seed, intensity: asked.intensity });
      return state;
    },

    calm() {
      endChaos();
      calls.clear();
      events.clear();
    },
  };
}
