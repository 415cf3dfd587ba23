import { api } from '../api.ts';
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
/** Events are collected for this time before they are read: a burst is one read. */
const GATHER_MS = 200;

/** What the app was sent and what it called, active faults, and the sandbox's clock. */
class Inspector extends EventTarget {
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
  #planned = false;

  start(): Promise<void> {
    store.addEventListener('log', () => this.plan());
    store.addEventListener('back', () => {
      // After a restart, the sandbox counts from the beginning.
      this.#after = 0;
      this.rows.clear();
      this.plan();
    });
    document.addEventListener('visibilitychange', () => this.plan());
    return this.reload();
  }

  toggle(open = !this.open): void {
    if (open && !this.open) this.plan();
    this.open = open;
    localStorage.setItem('sandbox-inspector', open ? 'open' : 'closed');
    this.changed();
  }

  show(tab: Tab): void {
    this.tab = tab;
    this.toggle(true);
  }

  plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      // Another part of the page shows that the sandbox cannot be reached.
      this.reload().catch(() => undefined);
    }, GATHER_MS);
  }

  /** What the page says on every screen is always read; traffic, which is much, only while the inspector is open. */
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
    for (const call of calls) this.#take(`call ${call.id}`, { what: 'call', at: call.at, call });
    for (const delivery of deliveries)
      this.#take(`delivery ${delivery.delivery}`, {
        what: 'delivery',
        at: delivery.attempts[0]?.at ?? '',
        delivery,
      });
  }

  #take(key: string, row: Taken): void {
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

  async asked(work: Promise<unknown>): Promise<void> {
    await work;
    await this.reload();
  }

  /** What is unusual, as sentences. */
  unusual(): string[] {
    const { faults, events, chaos, held } = this.faults;
    const { speed, ahead } = this.clock;
    const said: string[] = [];
    for (const { method, kind, hits } of faults) said.push(`${kind} on ${method} (struck ${hits}×)`);
    for (const { event, kind, hits } of events) said.push(`${kind} of ${event} events (struck ${hits}×)`);
    if (chaos) said.push(`chaos at ${Math.round(chaos.intensity * 100)}%, seed ${chaos.seed}`);
    if (held > 0) said.push(`${held} events held back`);
    if (speed !== 1) said.push(speed === 0 ? 'the clock is held' : `the clock runs ${speed}×`);
    if (Math.abs(ahead) > 1.5) said.push(`the clock is ${spell(ahead)} ahead`);
    return said;
  }

  changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

function isProblem({ call, delivery }: Row): boolean {
  if (call) return !call.ok || call.fault !== undefined;
  return delivery.state !== 'acked' || delivery.attempts.length > 1 || delivery.faults.length > 0;
}

/** Formats seconds: `2 h 5 min`. */
function spell(seconds: number): string {
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
