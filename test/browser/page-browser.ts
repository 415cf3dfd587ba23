import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Opened, type OpenPage, useBrowser as useAnyBrowser } from './browser.ts';

/** One browser for the tests of a file, to open a sandbox's page. */
export function useBrowser(): { open: (sandbox: Sandbox, options?: OpenPage) => Promise<Opened> } {
  const browser = useAnyBrowser();
  return {
    open: async (sandbox, options) => {
      const opened = await browser.open(sandbox.url, options);
      await opened.page.getByRole('heading', { name: '#it-help', exact: true }).waitFor();
      return opened;
    },
  };
}
