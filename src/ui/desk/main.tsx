import { router } from './router.tsx';
import { start } from './start.tsx';

start(router);

/**
 * What keys and presses open is no part of the first page: it is loaded as soon as anybody moves or types here, so that
 * it is mostly there when it is asked for.
 */
const preloading = new AbortController();
const preload = (event: Event) => {
  // A browser sends a move of no distance when a page appears beneath a pointer that rests.
  if (event instanceof PointerEvent && event.type === 'pointermove' && !event.movementX && !event.movementY)
    return;
  preloading.abort();
  // What fails here is loaded again, or waited for, when it is opened (src/ui/kit/part.ts).
  void Promise.allSettled([
    import('../kit/choices.tsx'),
    import('../kit/panel.tsx'),
    import('../kit/entries.tsx'),
    import('../kit/modal.tsx'),
    import('../kit/toast-region.tsx'),
    import('./shell/command-bar.tsx'),
    import('./ticket/message-actions.tsx'),
    import('./ticket/send.ts'),
  ]);
};
for (const event of ['keydown', 'pointerdown', 'pointermove'])
  document.addEventListener(event, preload, { capture: true, signal: preloading.signal });
