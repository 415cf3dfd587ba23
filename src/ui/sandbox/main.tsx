import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { keepInputMethodKeys } from '../kit/input-methods.ts';
import { whenUsed } from '../kit/when-used.ts';
import { App } from './app.tsx';
import { loadEmoji } from './emoji.tsx';
import { inspector } from './inspector/state.ts';
import { messageOf } from './notice.ts';
import { store } from './store.ts';
import { views } from './views.ts';

keepInputMethodKeys();

whenUsed(() => [
  import('../kit/combobox-field.tsx'),
  import('../kit/entries.tsx'),
  import('../kit/modal.tsx'),
  import('../kit/toast-region.tsx'),
  import('./app-tabs.tsx'),
  import('./parts/emoji-panel.tsx'),
]);

void start();

/** Draws the page once, with what it shows first; what stands in the HTML until then has its outlines. */
async function start(): Promise<void> {
  const place = document.getElementById('root');
  if (!place) throw new Error('The page has no element #root');
  const failed = (error: unknown) => store.fail(messageOf(error));
  // Without the emoji, their names are shown.
  await Promise.all([store.start(), loadEmoji().catch(() => undefined)]).catch(failed);
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  await Promise.all([views.start(), inspector.start()]).catch(failed);
}
