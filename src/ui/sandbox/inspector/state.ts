import { api } from '../api.ts';
import { Source } from '../source.ts';
import { store } from '../store.ts';
import type { Call, ClockState, Delivery, Faults } from '../types.ts';

export type Tab = 'traffic' | 'faults' | 'clock';

interface Filter {
  text: string;
  what: string;
}

type Taken =
  | { what: 'call'; at: string; call: Call; delivery?: undefined }
  | { what: 'delivery'; at: string; delivery: Delivery; call?: undefined };

/** A call or a delivery. */
export type Row = Taken & { key: string; id: number };

/** The maximum of rows here; the sandbox itself keeps a few thousand entries. */
const KEPT = 400;
/** A smaller difference between the clocks is only the time that a request takes. */
export const CLOCK_TOLERANCE_S = 1.5;
/** Changes are collected for this time, so that a burst causes one read. */
const GATHER_MS = 200;

/** The state of the inspector: calls and deliveries of the app, active faults, and the sandbox's clock. */
class Inspector extends Source {
  open = localStorage.getItem('sandbox-inspector') === 'open';
  tab: Tab = 'traffic';
  filter: Filter = { text: '', what: 'all' };
  /** Calls and deliveries, by their key. */
  rows = new Map<string, Row>();
  faults: Faults = { faults: [], events: [], chaos: null, held: 0 };
  clock: ClockState = { now: new Date().toISOString(), speed: 1, ahead: 0 };
  /** The browser's time when `clock` was read. */
  readAt = performance.now();
  #after = 0;
  #isScheduled = false;

  start(): Promise<void> {
    store.addEventListener('log', () => this.scheduleReload());
    store.addEventListener('back', () => {
      // After a restart, the sandbox's ids start again.
      this.#after = 0;
      this.rows.clear();
      this.scheduleReload();
    });
    document.addEventListener('visibilitychange', () => this.scheduleReload());
    return this.reload();
  }

  toggle(open = !this.open): void {
    if (open && !this.open) this.scheduleReload();
    this.open = open;
    localStorage.setItem('sandbox-inspector', open ? 'open' : 'closed');
    this.changed();
  }

  show(tab: Tab): void {
    this.tab = tab;
    this.toggle(true);
  }

  /** Reads the state again soon. */
  scheduleReload(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      // Another part of the page shows that the sandbox cannot be reached.
      this.reload().catch(() => undefined);
    }, GATHER_MS);
  }

  /** Reads faults and clock, which every screen shows, and the traffic only while the inspector is open. */
  async reload(): Promise<void> {
    const [faults, clock] = await Promise.all([
      api.faults(),
      api.clock(),
      this.open ? this.#readTraffic() : undefined,
    ]);
    this.faults = faults;
    this.#setClock(clock);
    this.changed();
  }

  async #readTraffic(): Promise<void> {
    const after = this.#after;
    const [calls, deliveries] = await Promise.all([
      api.calls({ after, limit: KEPT }),
      api.deliveries({ after, limit: KEPT }),
    ]);
    for (const call of calls) this.#addRow(`call ${call.id}`, { what: 'call', at: call.at, call });
    for (const delivery of deliveries)
      this.#addRow(`delivery ${delivery.delivery}`, {
        what: 'delivery',
        at: delivery.attempts[0]?.at ?? '',
        delivery,
      });
  }

  #addRow(key: string, row: Taken): void {
    const { id } = row.call ?? row.delivery;
    this.#after = Math.max(this.#after, id);
    const known = this.rows.get(key);
    this.rows.set(key, { ...row, key, id: known?.id ?? id });
    const [oldest] = this.rows.keys();
    if (this.rows.size > KEPT && oldest !== undefined) this.rows.delete(oldest);
  }

  #setClock(clock: ClockState): void {
    this.clock = clock;
    this.readAt = performance.now();
  }

  /** The current time of the sandbox. */
  now(): Date {
    return new Date(
      new Date(this.clock.now).getTime() + (performance.now() - this.readAt) * this.clock.speed,
    );
  }

  /** The rows that match the filter, newest first. */
  shown(): Row[] {
    const text = this.filter.text.toLowerCase();
    return [...this.rows.values()]
      .filter((row) => {
        if (this.filter.what === 'calls' && row.what !== 'call') return false;
        if (this.filter.what === 'envelopes' && row.what !== 'delivery') return false;
        if (this.filter.what === 'problems' && !isProblem(row)) return false;
        return (
          text === '' ||
          JSON.stringify(row.call ?? row.delivery)
            .toLowerCase()
            .includes(text)
        );
      })
      .sort((a, b) => b.id - a.id);
  }

  clear(): void {
    this.rows.clear();
    this.changed();
  }

  setFilter(change: Partial<Filter>): void {
    this.filter = { ...this.filter, ...change };
    this.changed();
  }

  /** Waits for a change of the sandbox, then reads its state again. */
  async reloadAfter(change: Promise<unknown>): Promise<void> {
    await change;
    await this.reload();
  }

  /** Describes active faults and a changed clock, one sentence each; empty if there are none. */
  unusual(): string[] {
    const { faults, events, chaos, held } = this.faults;
    const words: string[] = [];
    for (const { method, kind, hits } of faults) words.push(`${kind} on ${method} (struck ${hits}×)`);
    for (const { event, kind, hits } of events) words.push(`${kind} of ${event} events (struck ${hits}×)`);
    if (chaos) words.push(`chaos at ${Math.round(chaos.intensity * 100)}%, seed ${chaos.seed}`);
    if (held > 0) words.push(`${held} events held back`);
    return [...words, ...this.unusualClock()];
  }

  /** Describes how the sandbox's clock differs from this machine's; empty if it does not. */
  unusualClock(): string[] {
    const { speed, ahead } = this.clock;
    const words: string[] = [];
    if (speed !== 1) words.push(speed === 0 ? 'the clock is held' : `the clock runs ${speed}×`);
    if (Math.abs(ahead) > CLOCK_TOLERANCE_S)
      words.push(`the clock is ${formatSeconds(ahead)} ${ahead > 0 ? 'ahead' : 'behind'}`);
    return words;
  }
}

function isProblem({ call, delivery }: Row): boolean {
  if (call) return !call.ok || call.fault !== undefined;
  return delivery.state !== 'acked' || delivery.attempts.length > 1 || delivery.faults.length > 0;
}

/** Formats seconds without their sign: `2 h 5 min`. */
function formatSeconds(seconds: number): string {
  const parts = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  let left = Math.round(Math.abs(seconds));
  const words: string[] = [];
  for (const [size, unit] of parts) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) words.push(`${count} ${unit}`);
  }
  return words.slice(0, 2).join(' ');
}

export const inspector = new Inspector();
