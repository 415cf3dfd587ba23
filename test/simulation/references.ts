// Imported before all others: weak references that never let go, as what the garbage collector takes, and when, is
// decided by no seed.

class StrongReference<Target extends WeakKey> {
  readonly [Symbol.toStringTag] = 'WeakRef';
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  deref(): Target {
    return this.#target;
  }
}

class SilentRegistry {
  readonly [Symbol.toStringTag] = 'FinalizationRegistry';
  register(): void {
    // Nothing is ever collected.
  }
  unregister(): boolean {
    return false;
  }
}

Object.assign(globalThis, { WeakRef: StrongReference, FinalizationRegistry: SilentRegistry });
