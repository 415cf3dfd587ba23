import { z } from 'zod';

import type { EventFaults } from '../faults/event-faults.ts';
import { callFault, type CallFault, eventFault, type EventFault, type Listed } from '../faults/rules.ts';
import type { CallFaults } from '../faults/call-faults.ts';
import { type Chaos, chaosRequest, type ChaosState } from '../faults/chaos.ts';
import type { Journal } from '../journal.ts';

/** Faults of calls (`faults`, or a single one without the list) and of events, added to the active ones. */
const faultsRequest = z.preprocess(
  (body) => (typeof body === 'object' && body !== null && 'method' in body ? { faults: [body] } : body),
  z.strictObject({
    faults: z.array(callFault).default([]),
    events: z.array(eventFault).default([]),
    /** Clears all other faults first. */
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
  /** Envelopes that a fault holds back. */
  held: number;
}

/** Sets, lists and clears faults. */
export interface FaultControl {
  faults(request: FaultsRequest): void;
  /** Returns the active faults, and how often each was applied. */
  listFaults(): FaultsState;
  /** Applies random faults by a seed, which is returned; replaces active chaos. */
  chaos(request?: z.input<typeof chaosRequest>): ChaosState;
  /** Clears chaos and faults, and releases what they held back. */
  clearFaults(): void;
}

export interface FaultControlParts {
  calls: CallFaults;
  events: EventFaults;
  chaos: Chaos;
  journal: Journal;
  /** 0 ≤ x < 1; makes a seed where none is given. */
  random: () => number;
}

export function createFaultControl({
  calls,
  events,
  chaos,
  journal,
  random,
}: FaultControlParts): FaultControl {
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

    clearFaults() {
      endChaos();
      calls.clear();
      events.clear();
    },
  };
}
