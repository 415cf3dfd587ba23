import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { keepInputMethodKeys } from '../kit/input-methods.ts';
import { whenUsed } from '../kit/when-used.ts';
import { App } from './app.tsx';
import { loadEmoji } from './emoji.tsx';
import { inspector } from './inspector/state.ts';
import { messageOf, notify } from './notice.tsx';
import { store } from './store.ts';
import { views } from './views.ts';

keepInputMethodKeys();

const place = document.getElementById('root');
if (!place) throw new Error('The page has no element #root');
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

whenUsed(() => [
  import('../kit/combobox-field.tsx'),
  import('../kit/entries.tsx'),
  import('../kit/modal.tsx'),
  import('./parts/emoji-panel.tsx'),
]);

const unreachable = (error: unknown) => notify(`The sandbox cannot be reached: ${messageOf(error)}`);
// Until the emoji are there, their names are shown.
loadEmoji()
  .then(() => store.changed())
  .catch(() => undefined);
store
  .start()
  .then(() => Promise.all([views.start(), inspector.start()]))
  .catch(unreachable);
