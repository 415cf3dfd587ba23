// `npm run docs` writes docs/settings.md from the schema of the configuration; a test compares the two.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { format, resolveConfig } from 'prettier';
import { z } from 'zod';

import { Environment, SETTINGS } from '../../src/start/settings.ts';

export const SETTINGS_PAGE = path.resolve(import.meta.dirname, '../../docs/settings.md');

/** What the page says of a setting: the parts of a JSON schema that the configuration uses. */
const Described = z.object({
  description: z.string(),
  type: z.enum(['string', 'integer', 'number']),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Described = z.infer<typeof Described>;

/** Returns the text of docs/settings.md. */
export async function settingsPage(): Promise<string> {
  const defaults: Record<string, unknown> = Environment.parse({});
  const sections = SETTINGS.map(({ title, shape }) => {
    const { properties = {} } = z.toJSONSchema(z.object(shape), { io: 'input', unrepresentable: 'any' });
    const rows = Object.entries(properties).map(([name, property]) => {
      const setting = Described.parse(property);
      return `| \`${name}\` | ${defaultOf(defaults[name])} | ${valueOf(setting)} | ${setting.description} |`;
    });
    return `## ${title}\n\n| Variable | Default | Value | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  });
  const page = `${INTRODUCTION}\n${sections.join('\n\n')}\n`;
  return format(page, { ...(await resolveConfig(SETTINGS_PAGE)), filepath: SETTINGS_PAGE });
}

const INTRODUCTION = `# Settings

After reading this page you can set every variable that deskbridge reads from its environment. A fresh start needs none of them; [Install](install.md) says which belong together. \`npm run docs\` writes this page from the schema of the configuration (\`src/start/settings.ts\`), and a test keeps it current.

An empty value counts as unset, and blanks around a value are cut off. A start stops, and says what to do, at a value that is not allowed, at a setting without another that it needs, and at an unknown variable that looks like ours. A secret may stand in a file that \`node --env-file\` reads, as in the [Compose file](deploy/compose.yaml).
`;

function defaultOf(value: unknown): string {
  if (value === undefined) return 'none';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** Returns which values a setting takes, in words. */
function valueOf(setting: Described): string {
  if (setting.enum?.includes('true')) return '`true` or `false`';
  if (setting.enum) return setting.enum.map((value) => `\`${value}\``).join(', ');
  if (setting.type !== 'string')
    return `${setting.type === 'integer' ? 'whole number' : 'number'}${rangeOf(setting)}`;
  const kind = setting.format === 'uri' ? 'URL' : 'text';
  if (setting.minLength !== undefined) return `${kind}, ${setting.minLength} or more characters`;
  return setting.maxLength === undefined ? kind : `${kind}, at most ${setting.maxLength} characters`;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Described): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  if (minimum === undefined) return '';
  // What has no upper limit of its own has that of numbers.
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `, ${minimum} or more`
    : `, ${minimum} to ${maximum}`;
}

if (import.meta.main) writeFileSync(SETTINGS_PAGE, await settingsPage());
