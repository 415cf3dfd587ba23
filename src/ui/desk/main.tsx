import './kit/tokens.css';

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider as AriaRouter } from 'react-aria-components';
import { IntlProvider } from 'use-intl';

import { takeFirstData } from './api/first-data.ts';
import { queryClient } from './api/query.ts';
import { messages } from './messages/index.ts';
import { router } from './router.tsx';
import { keepInputMethodKeys } from '../input-methods.ts';

takeFirstData(document);
keepInputMethodKeys();

const place = document.getElementById('app');
if (!place) throw new Error('The page has no element #app');
createRoot(place).render(
  <StrictMode>
    <IntlProvider
      locale="en"
      messages={messages}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
      now={new Date()}
    >
      <QueryClientProvider client={queryClient}>
        <AriaRouter navigate={(href) => void router.navigate({ href })}>
          <RouterProvider router={router} />
        </AriaRouter>
      </QueryClientProvider>
    </IntlProvider>
  </StrictMode>,
);

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
  // What fails here is loaded again, or waited for, when it is opened (kit/part.ts).
  void Promise.allSettled([
    import('./kit/choices.tsx'),
    import('./kit/panel.tsx'),
    import('./kit/entries.tsx'),
    import('./kit/modal.tsx'),
    import('./kit/toast-region.tsx'),
    import('./shell/command-bar.tsx'),
  ]);
};
for (const event of ['keydown', 'pointerdown', 'pointermove'])
  document.addEventListener(event, preload, { capture: true, signal: preloading.signal });
