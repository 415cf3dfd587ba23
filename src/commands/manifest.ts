import { readFile } from 'node:fs/promises';

import type { CliCommand } from './command.ts';

/** Prints the Slack app's manifest, as it is pasted on Slack's page *Create app → From a manifest*. */
export const manifest: CliCommand = {
  does: 'print manifest.yml for your Slack workspace',
  async run({ config }) {
    const text = await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
    process.stdout.write(text.replaceAll('command: /ticket', `command: ${config.COMMAND}`));
  },
};
