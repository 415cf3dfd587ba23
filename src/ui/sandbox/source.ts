/** State that parts of the page are drawn from; an event `change` says that it is another. */
export class Source extends EventTarget {
  /** Grows with each change. */
  version = 0;

  changed(): void {
    this.version += 1;
    this.dispatchEvent(new Event('change'));
  }
}
