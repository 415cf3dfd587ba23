import type { AlarmClock } from '../clock.ts';
import type { CallFault } from './call-fault.ts';
import type { Chaos } from './chaos.ts';
import { type Listed, Rules } from './rules.ts';

/** The misbehaviours of the Web API that are switched on, one by one or by chaos. */
export class CallFaults {
  readonly #clock: AlarmClock;
  readonly #rules: Rules<CallFault>;
  readonly #chaos: Chaos;
  /** Calls that are being kept waiting. */
  readonly #waiting = new Set<() => void>();

  constructor(parts: { clock: AlarmClock; chance: () => number; chaos: Chaos }) {
    this.#clock = parts.clock;
    this.#chaos = parts.chaos;
    this.#rules = new Rules(parts.clock, parts.chance);
  }

  add(faults: readonly CallFault[]): void {
    for (const fault of faults) this.#rules.add(fault);
  }

  /** Switches all off, and lets go what is being kept waiting. */
  clear(): void {
    this.#rules.clear();
    for (const release of [...this.#waiting]) release();
  }

  list(): Listed<CallFault>[] {
    return this.#rules.list();
  }

  /** Whether a call is cut before its body is taken; `team` is that of its token, where the header has it. */
  refuses(method: string, team: string | undefined): boolean {
    return (
      this.#rules.take((fault) => fault.kind === 'refused' && isFor(fault, method, team)) !== undefined ||
      this.#chaos.refuses(method)
    );
  }

  /** The misbehaviour that strikes this call, if one does; `team` is that of its token. */
  take(method: string, args: Record<string, unknown>, team: string | undefined): CallFault | undefined {
    const asked = this.#rules.take(
      (fault) =>
        fault.kind !== 'refused' &&
        isFor(fault, method, team) &&
        (fault.channel === undefined || fault.channel === args['channel']),
    );
    return asked ?? this.#chaos.callFault(method);
  }

  /** Waits so long by the sandbox's clock (for ever without it), until the faults are cleared or `gone` happens. */
  wait(milliseconds: number | undefined, gone?: (release: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      let cancel: () => void = () => undefined;
      const release = () => {
        cancel();
        this.#waiting.delete(release);
        resolve();
      };
      this.#waiting.add(release);
      gone?.(release);
      if (milliseconds !== undefined)
        cancel = this.#clock.alarm(new Date(this.#clock.now().getTime() + milliseconds), release);
    });
  }
}

function isFor(fault: CallFault, method: string, team: string | undefined): boolean {
  return (
    (fault.method === '*' || fault.method === method) && (fault.team === undefined || fault.team === team)
  );
}
