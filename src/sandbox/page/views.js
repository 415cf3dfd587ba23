import { api } from './api.js';
import { attemptWithApp } from './attempt.js';
import { givenOf, heldOptions } from './blocks/state.js';
import { notify } from './notice.js';
import { store } from './store.js';
import { suggestFor } from './suggest-options.js';
import { bringFiles } from './upload.js';

/** The open views of the acting person: the modal's views, bottom first, and the Home of the app. */
class Views extends EventTarget {
  stack = [];
  home = null;
  /** Values not yet sent to the sandbox, by view: block id, action id, value. */
  #given = new Map();
  #labels = new Map();
  #asked = 0;

  start() {
    for (const happening of ['view', 'person', 'back'])
      store.addEventListener(happening, () => this.reload());
    return this.reload();
  }

  async reload() {
    const mine = (this.#asked += 1);
    const { me } = store;
    if (!me) return;
    try {
      const views = await api.views(me);
      if (mine !== this.#asked || me !== store.me) return;
      this.take(views);
    } catch (error) {
      notify(error.message);
    }
  }

  /** The current version of the view: it may not be redrawn yet. */
  #now(view) {
    return [...this.stack, this.home].find((other) => other?.id === view.id) ?? view;
  }

  /** Takes the views of a response, then reloads: events may have overtaken the response. */
  takeAnswer(views) {
    this.take(views);
    return this.reload();
  }

  take({ stack, home }) {
    this.stack = stack.filter((view) => store.isOpenHere(view));
    this.home = home;
    const open = new Set([...stack, home].filter(Boolean).map(({ id }) => id));
    for (const id of this.#given.keys()) if (!open.has(id)) this.#given.delete(id);
    this.dispatchEvent(new Event('change'));
  }

  /** The values for `submit-view`, without fields that the app has removed meanwhile. */
  filled(view) {
    const given = this.#given.get(view.id) ?? {};
    const filled = {};
    for (const [blockId, actionId] of fieldsOf(view.blocks))
      if (Object.hasOwn(given[blockId] ?? {}, actionId))
        filled[blockId] = { ...filled[blockId], [actionId]: given[blockId][actionId] };
    return filled;
  }

  /** A view's surface: values are kept until they are submitted. */
  surface(view) {
    const stateOf = (block, element) => view.state?.values?.[block.block_id]?.[element.action_id];
    const place = { user: store.me, viewId: view.id };
    const keyOf = (block, element) => `${view.id} ${block.block_id} ${element.action_id}`;
    return {
      kind: view.type,
      id: view.id,
      errors: view.errors ?? {},
      given: (block, element) => {
        const own = this.#given.get(view.id)?.[block.block_id];
        return own && Object.hasOwn(own, element.action_id)
          ? (own[element.action_id] ?? undefined)
          : (givenOf(element, stateOf(block, element)) ?? undefined);
      },
      put: (block, element, value) => {
        const all = this.#given.get(view.id) ?? {};
        all[block.block_id] = { ...all[block.block_id], [element.action_id]: value };
        this.#given.set(view.id, all);
      },
      act: (block, element, value) =>
        attemptWithApp(
          api.interact({
            ...place,
            values: this.filled(this.#now(view)),
            action: {
              actionId: element.action_id,
              blockId: block.block_id,
              ...(value === undefined ? {} : { value }),
            },
          }),
        ),
      suggest: (block, element, typed) => suggestFor(place, block, element, typed),
      options: (block, element) =>
        this.#labels.get(keyOf(block, element)) ?? heldOptions(element, stateOf(block, element)),
      keepOptions: (block, element, options) =>
        this.#labels.set(keyOf(block, element), options.map(({ option }) => option).filter(Boolean)),
      upload: bringFiles,
    };
  }
}

/** The block id and action id of every element. */
function fieldsOf(blocks) {
  return blocks.flatMap((block) => [
    ...[block.element, block.accessory, ...(block.elements ?? [])]
      .filter((element) => element?.action_id)
      .map((element) => [block.block_id, element.action_id]),
    ...fieldsOf(block.child_blocks ?? []),
  ]);
}

export const views = new Views();
