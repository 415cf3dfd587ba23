import { api } from './api.ts';
import { attemptWithApp } from './attempt.ts';
import { givenOf, heldOptions } from './blocks/state.ts';
import type { Placed, Surface } from './blocks/surface.ts';
import { notifyError } from './notice.ts';
import { Source } from './source.ts';
import { store } from './store.ts';
import { suggestFor } from './suggest-options.ts';
import type { Block, BlockElement, Option, ShownViews, Value, Values, View } from './types.ts';
import { bringFiles } from './upload.ts';

/** The open views of the acting person: the modal's views, bottom first, and the Home of the app. */
class Views extends Source {
  stack: View[] = [];
  home: View | null = null;
  /** Values not yet sent to the sandbox, by view: block id, action id, value. */
  #given = new Map<string, Values>();
  #labels = new Map<string, Option[]>();
  #asked = 0;

  start(): Promise<void> {
    for (const happening of ['view', 'person', 'back'])
      store.addEventListener(happening, () => void this.reload());
    return this.reload();
  }

  async reload(): Promise<void> {
    const mine = (this.#asked += 1);
    const { me } = store;
    if (!me) return;
    try {
      const views = await api.views(me);
      if (mine !== this.#asked || me !== store.me) return;
      this.take(views);
    } catch (error) {
      notifyError(error);
    }
  }

  /** The current version of the view: it may not be redrawn yet. */
  #now(view: View): View {
    return [...this.stack, this.home].find((other) => other?.id === view.id) ?? view;
  }

  /** Takes the views of a response, then reloads: events may have overtaken the response. */
  takeAnswer(views: ShownViews): Promise<void> {
    this.take(views);
    return this.reload();
  }

  take({ stack, home }: ShownViews): void {
    this.stack = stack.filter((view) => store.isOpenHere(view));
    this.home = home;
    const open = new Set([...stack, ...(home ? [home] : [])].map(({ id }) => id));
    for (const id of this.#given.keys()) if (!open.has(id)) this.#given.delete(id);
    this.changed();
  }

  /** The values for `submit-view`, without fields that the app has removed meanwhile. */
  filled(view: View): Values {
    const given = this.#given.get(view.id) ?? {};
    const filled: Values = {};
    for (const [blockId, actionId] of fieldsOf(view.blocks)) {
      const value = ownValue(given, blockId, actionId);
      if (value !== undefined) filled[blockId] = { ...filled[blockId], [actionId]: value };
    }
    return filled;
  }

  /** A view's surface: values are kept until they are submitted. */
  surface(view: View): Surface {
    const stateOf = ({ block_id = '' }: Placed, { action_id = '' }: BlockElement) =>
      view.state.values[block_id]?.[action_id];
    const place = { user: store.me, viewId: view.id };
    const keyOf = ({ block_id = '' }: Placed, { action_id = '' }: BlockElement) =>
      `${view.id} ${block_id} ${action_id}`;
    return {
      kind: view.type,
      id: view.id,
      errors: view.errors,
      given: (block, element) => {
        const own = ownValue(this.#given.get(view.id) ?? {}, block.block_id ?? '', element.action_id ?? '');
        return (own === undefined ? givenOf(element, stateOf(block, element)) : own) ?? undefined;
      },
      put: (block, element, value) => {
        const all = this.#given.get(view.id) ?? {};
        const { block_id = '' } = block;
        all[block_id] = { ...all[block_id], [element.action_id ?? '']: value };
        this.#given.set(view.id, all);
      },
      act: (block, element, value) =>
        attemptWithApp(
          api.interact({
            ...place,
            values: this.filled(this.#now(view)),
            action: {
              actionId: element.action_id,
              ...(block.block_id === undefined ? {} : { blockId: block.block_id }),
              ...(value === undefined ? {} : { value }),
            },
          }),
        ),
      suggest: (block, element, typed) => suggestFor(place, block, element, typed),
      options: (block, element) =>
        this.#labels.get(keyOf(block, element)) ?? heldOptions(element, stateOf(block, element)),
      keepOptions: (block, element, options) => this.#labels.set(keyOf(block, element), options),
      upload: bringFiles,
    };
  }
}

/** The block id and action id of every element. */
function fieldsOf(blocks: readonly Block[]): [blockId: string, actionId: string][] {
  return blocks.flatMap((block) => {
    if (block.type === 'container') return fieldsOf(block.child_blocks ?? []);
    return elementsOf(block).flatMap(({ action_id }) =>
      block.block_id !== undefined && action_id ? [[block.block_id, action_id]] : [],
    );
  });
}

function elementsOf(block: Block): readonly BlockElement[] {
  switch (block.type) {
    case 'input':
      return [block.element];
    case 'section':
      return block.accessory ? [block.accessory] : [];
    case 'actions':
    case 'context_actions':
      return block.elements ?? [];
    default:
      return [];
  }
}

/** Undefined: the value was not changed here. */
function ownValue(values: Values, blockId: string, actionId: string): Value | undefined {
  const own = Object.hasOwn(values, blockId) ? values[blockId] : undefined;
  return own && Object.hasOwn(own, actionId) ? own[actionId] : undefined;
}

export const views = new Views();
