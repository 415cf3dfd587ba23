import { AnsweredError, type Client, ServiceError } from '../../client/index.ts';
import { offeredForms, type RequestType, type Tolerant } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';

/** A request type with a form, as in the specification. */
export type Form = Tolerant<RequestType>;

interface Kept<Item> {
  items: readonly Item[];
  readAt: number;
}

/**
 * Caches the forms (`GET /forms`) and the tags. If the service is unavailable, the last known ones are used, if any.
 */
export class Forms {
  readonly #service: Client;
  readonly #workspaceIds: () => Promise<readonly string[]>;
  readonly #clock: Clock;
  readonly #keepMs: number;
  #forms: Kept<Form> | undefined;
  #tags: Kept<{ id: string; label: string }> | undefined;

  /**
   * @param workspaceIds those whose request types and tags are read.
   * @param keepMs cache time: request types change rarely, and users wait for their form.
   */
  constructor(service: Client, workspaceIds: () => Promise<readonly string[]>, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#workspaceIds = workspaceIds;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Without collections and unpublished request types. */
  async all(): Promise<readonly Form[]> {
    this.#forms = await this.#read(this.#forms, () => this.#list());
    return this.#forms.items;
  }

  /** Returns one by id; asks the service before reporting it as gone. Throws ServiceError if it is unavailable. */
  async find(id: string): Promise<Form | undefined> {
    const known = (await this.all()).find((form) => form.id === id);
    return known ?? (await this.#list()).find((form) => form.id === id);
  }

  async #list(): Promise<Form[]> {
    const forms: Form[] = [];
    for (const workspaceId of await this.#workspaceIds())
      for await (const form of this.#service.all('listForms', { query: { workspaceId } })) forms.push(form);
    return offeredForms(forms);
  }

  async tags(): Promise<readonly { id: string; label: string }[]> {
    this.#tags = await this.#read(this.#tags, async () => {
      const tags: { id: string; label: string }[] = [];
      for (const workspaceId of await this.#workspaceIds())
        for await (const { id, name } of this.#service.all('listTags', { query: { workspaceId } }))
          tags.push({ id, label: name });
      return tags.toSorted((a, b) => a.label.localeCompare(b.label));
    });
    return this.#tags.items;
  }

  async #read<Item>(kept: Kept<Item> | undefined, read: () => Promise<Item[]>): Promise<Kept<Item>> {
    const now = this.#clock.now().getTime();
    if (kept && now - kept.readAt < this.#keepMs) return kept;
    try {
      return { items: await read(), readAt: now };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Another implementation may have none.
      if (error instanceof AnsweredError && error.missing) return { items: [], readAt: now };
      return kept ?? { items: [], readAt: Number.NEGATIVE_INFINITY };
    }
  }
}
