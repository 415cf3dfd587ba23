import { createTranslator } from 'use-intl';

import { call } from '../api/call.ts';
import { changeCached, queryClient } from '../api/query.ts';
import type { BodyOf, ItemOf } from '../api/types.ts';
import { showToast } from '../../kit/toast.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import { listParts } from '../messages/list-parts.ts';
import type { Grouping } from './display.ts';
import type { Current, View } from './views.ts';

type Body = NonNullable<BodyOf<'updateView'>>;

const t = createTranslator({ locale: 'en', messages: { listParts }, namespace: 'listParts.views' });

const refresh = () => queryClient.invalidateQueries({ queryKey: ['listViews'] });

/** Writes, then reads the views again. False: it was refused, and the reason shown. */
async function written(write: () => Promise<unknown>): Promise<boolean> {
  const isDone = await toastRefusal(write);
  await refresh();
  return isDone;
}

const contentOf = ({ filters, sortBy, sortDirection }: View) =>
  ({ filters, sortBy, sortDirection }) as Pick<Body, 'filters' | 'sortBy' | 'sortDirection'>;

/** Returns the settings of the current list that a view saves. */
export const shownContent = (
  { filters, sortBy, sortDirection }: Current,
  groupBy: Grouping | undefined,
): Pick<Body, 'filters' | 'sortBy' | 'sortDirection'> => ({
  // The service has no order by tags.
  filters: { ...filters, ...(groupBy && groupBy !== 'tagId' && { groupBy }) },
  sortBy: sortBy as 'updatedAt',
  sortDirection,
});

/** Changes a saved view to what is shown now. Returns whether it did. */
export async function saveChanges(current: Current, groupBy: Grouping | undefined): Promise<boolean> {
  const { view } = current;
  const put = (body: Body) => written(() => call('updateView', { params: { id: view.id }, body }));
  if (!(await put(shownContent(current, groupBy)))) return false;
  showToast({
    kind: 'done',
    text: t('changed', { name: view.name ?? '' }),
    undo: () => put(contentOf(view)),
  });
  return true;
}

export const setShared = (view: View, isShared: boolean): Promise<boolean> =>
  written(() => call('updateView', { params: { id: view.id }, body: { isShared } }));

/** Deletes a saved view, with the offer to restore it. Returns whether it did. */
export async function deleteView(view: View): Promise<boolean> {
  const { id, name = id, isShared = false, position } = view;
  if (!(await written(() => call('deleteView', { params: { id } })))) return false;
  const body = { name, isShared, ...contentOf(view), ...(position !== undefined && { position }) };
  showToast({
    kind: 'done',
    text: t('deleted', { name }),
    undo: () => written(() => call('createView', { body })),
  });
  return true;
}

/** Moves a view among those that are shown together: the new order is shown at once, and its positions written. */
export async function moveView(views: readonly View[], view: View, to: number): Promise<void> {
  const order = views.filter(({ id }) => id !== view.id).toSpliced(to, 0, view);
  const positions = new Map(order.map(({ id }, position) => [id, position]));
  await queryClient.cancelQueries({ queryKey: ['listViews'] });
  changeCached<ItemOf<'listViews'>>('listViews', (each) => ({
    ...each,
    position: positions.get(each.id) ?? each.position,
  }));
  await written(async () => {
    for (const [position, { id, position: before }] of order.entries())
      if (position !== before) await call('updateView', { params: { id }, body: { position } });
  });
}
