import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';

import { chatErrorOf } from './errors.ts';

/** Modals. Best effort: each call is made once. Throws ChatError. */
export class Modals {
  readonly #client: WebClient;

  constructor(client: WebClient) {
    this.#client = client;
  }

  /**
   * Opens a modal. A trigger expires after three seconds, so it is used within the request that brought it
   * (https://docs.slack.dev/surfaces/modals#opening).
   */
  async open(trigger: string, view: ModalView): Promise<void> {
    await this.#call('views.open', () => this.#client.views.open({ trigger_id: trigger, view }));
  }

  /** Replaces the contents of a modal that was opened with this `external_id`. */
  async update(externalId: string, view: ModalView): Promise<void> {
    await this.#call('views.update', () =>
      this.#client.views.update({ external_id: externalId, view: { ...view, external_id: externalId } }),
    );
  }

  /** Replaces the contents of an open modal; input stays if block and element ids stay. */
  async change(viewId: string, view: ModalView): Promise<void> {
    await this.#call('views.update', () => this.#client.views.update({ view_id: viewId, view }));
  }

  async #call(method: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      throw chatErrorOf(method, error);
    }
  }
}
