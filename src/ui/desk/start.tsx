import '../kit/tokens.css';

import { QueryClientProvider } from '@tanstack/react-query';
import { type AnyRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider as AriaRouter } from 'react-aria-components';
import { IntlProvider } from 'use-intl';

import { takeFirstData } from './api/first-data.ts';
import { queryClient } from './api/query.ts';
import { KitWords } from './kit/kit-words.tsx';
import { READER_TIME_ZONE, readerLocale } from './kit/locale.ts';
import { messages } from './messages/index.ts';
import { keepInputMethodKeys } from '../kit/input-methods.ts';
import { whenUsed } from '../kit/when-used.ts';

/** Draws a page of this server: the desk, or the pages of people who ask. */
export function start(router: AnyRouter, moreTexts: object = {}): void {
  takeFirstData(document);
  keepInputMethodKeys();
  whenUsed(() => [loadKeptFocus()]);
  const place = document.getElementById('app');
  if (!place) throw new Error('The page has no element #app');
  createRoot(place).render(
    <StrictMode>
      <IntlProvider
        locale={readerLocale(navigator.languages)}
        messages={{ ...messages, ...moreTexts }}
        timeZone={READER_TIME_ZONE}
        now={new Date()}
      >
        <KitWords>
          <QueryClientProvider client={queryClient}>
            <AriaRouter navigate={(href) => void router.navigate({ href })}>
              <RouterProvider router={router} />
            </AriaRouter>
          </QueryClientProvider>
        </KitWords>
      </IntlProvider>
    </StrictMode>,
  );
}

/** What has the focus meanwhile may be gone before the code is there. */
async function loadKeptFocus(): Promise<void> {
  let focused = document.activeElement;
  const loaded = new AbortController();
  document.addEventListener(
    'focusin',
    () => {
      focused = document.activeElement;
    },
    { signal: loaded.signal },
  );
  const { keepFocus } = await import('./kit/kept-focus.ts');
  loaded.abort();
  keepFocus(focused);
}
