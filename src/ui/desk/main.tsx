import { whenUsed } from '../kit/when-used.ts';
import { router } from './router.tsx';
import { start } from './start.tsx';

start(router);

whenUsed(() => [
  import('../kit/choices.tsx'),
  import('../kit/panel.tsx'),
  import('../kit/entries.tsx'),
  import('../kit/modal.tsx'),
  import('../kit/toast-region.tsx'),
  import('./shell/command-bar.tsx'),
  import('./ticket/message-actions.tsx'),
  import('./ticket/send.ts'),
]);
