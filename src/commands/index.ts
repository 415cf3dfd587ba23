import type { CliCommand, CommandOption } from './command.ts';

/** The Slack workspace a command is for, if several have installed the app. */
const WORKSPACE: CommandOption = {
  type: 'string',
  value: 'id or name',
  does: 'the Slack workspace, if several have installed the app',
};

const DEMO: CommandOption = { type: 'boolean', does: 'fill an empty database with the demo' };

export const commands: Record<string, CliCommand> = {
  start: {
    does: 'start everything that is not configured to run elsewhere',
    usage: ['start [--demo]'],
    options: { demo: DEMO },
    load: () => serving('start'),
  },
  service: {
    does: 'start only the ticketing service',
    usage: ['service [--demo]'],
    options: { demo: DEMO },
    load: () => serving('service'),
  },
  bridge: {
    does: 'start only the bridge (SERVICE_URL; SLACK_BOT_TOKEN or SLACK_CLIENT_ID)',
    usage: ['bridge'],
    load: () => serving('bridge'),
  },
  sandbox: {
    does: 'start only the sandbox',
    usage: ['sandbox'],
    load: () => serving('sandbox'),
  },
  migrate: {
    does: 'migrate the database, then exit',
    usage: ['migrate'],
    load: async () => (await import('./migrate.ts')).migrateAll,
  },
  keys: {
    does: 'create|list|revoke API keys of the embedded service',
    usage: ['keys list', 'keys create <name> [--role <role>]', 'keys revoke <id>'],
    options: {
      role: {
        type: 'string',
        value: 'role',
        default: 'agent',
        does: 'the role of the new key: read, agent (default) or admin',
      },
    },
    load: async () => (await import('./keys.ts')).keys,
  },
  import: {
    does: 'applications <file>: import applications from JSON or CSV; files <folder>: the files of an export',
    usage: [
      'import applications <file.json or file.csv> [--workspace <id or slug>]',
      'import files <folder of an export>',
    ],
    options: {
      workspace: {
        type: 'string',
        value: 'id or slug',
        does: "the service's workspace that they are for; default the first one",
      },
    },
    load: async () => (await import('./import.ts')).importCommand,
  },
  export: {
    does: '<folder>: write all records of the service as JSON, one per line',
    usage: ['export <folder>'],
    load: async () => (await import('./export.ts')).exportCommand,
  },
  audit: {
    does: 'print the audit log: who signed in, changed settings, exported or erased',
    usage: ['audit [--since <time>] [--action <action>] [--json]'],
    options: {
      since: {
        type: 'string',
        value: 'time',
        default: '7d',
        does: 'how far back: a number with m, h or d; default 7d',
      },
      action: { type: 'string', value: 'action', does: 'only entries of this action, such as user.erased' },
      json: { type: 'boolean', does: 'print one JSON object per line' },
    },
    load: async () => (await import('./audit.ts')).audit,
  },
  doctor: {
    does: 'check everything and say how to fix problems; --live --channel C… compares a workspace with the sandbox',
    usage: ['doctor [--json] [--workspace <id or name>]', 'doctor --live --channel <id>'],
    options: {
      json: { type: 'boolean', does: 'print the findings as JSON' },
      live: { type: 'boolean', does: 'check the sandbox’s assumptions about Slack against a real workspace' },
      channel: {
        type: 'string',
        value: 'id',
        does: 'a test channel that --live may write to, with the app in it',
      },
      workspace: WORKSPACE,
    },
    load: async () => (await import('./doctor.ts')).doctor,
  },
  'dead-letters': {
    does: 'list|retry|discard what could not be delivered',
    usage: ['dead-letters list', 'dead-letters retry <id…|all>', 'dead-letters discard <id…|all>'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./dead-letters.ts')).deadLetters,
  },
  people: {
    does: 'list|link|unlink the users of Slack accounts, allow bots, create sign-in links, erase a person',
    usage: [
      'people list [words]',
      'people link <Slack user id> <user id or e-mail>',
      'people unlink <Slack user id>',
      'people bots [allow|refuse]',
      'people sign-in-link <e-mail> [--role <role>] [--workspace <id or slug>]',
      'people erase <user id or e-mail> [--yes]',
    ],
    options: {
      role: {
        type: 'string',
        value: 'role',
        does: 'sign-in-link: the role that the user gets: requester, agent or admin; creates an unknown user',
      },
      workspace: WORKSPACE,
      yes: { type: 'boolean', does: 'erase without asking' },
    },
    load: async () => (await import('./people.ts')).people,
  },
  reconcile: {
    does: 'compare Slack and the service now, and repair differences',
    usage: ['reconcile'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./reconcile.ts')).reconcile,
  },
  rebuild: {
    does: 'restore the bridge’s links from Slack and the service',
    usage: ['rebuild'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./reconcile.ts')).rebuild,
  },
  manifest: {
    does: 'print manifest.yml for your Slack workspace; with --http for events by HTTP (PUBLIC_URL), with --organisation for org-wide installation, with --mcp for Slackbot',
    usage: ['manifest [--http] [--organisation] [--mcp]'],
    options: {
      http: { type: 'boolean', does: 'receive events by HTTP at PUBLIC_URL instead of Socket Mode' },
      organisation: {
        type: 'boolean',
        does: 'for org-wide installation (SLACK_CLIENT_ID)',
      },
      mcp: { type: 'boolean', does: 'let Slackbot use the AI tools at PUBLIC_URL' },
    },
    load: async () => (await import('./manifest.ts')).manifest,
  },
  workspaces: {
    does: 'list the Slack workspaces that installed the app and print the install link; trust or untrust one',
    usage: ['workspaces', 'workspaces trust <id>', 'workspaces untrust <id>'],
    load: async () => (await import('./workspaces.ts')).workspaces,
  },
};

async function serving(name: 'start' | 'service' | 'bridge' | 'sandbox') {
  const { serve } = await import('./serve.ts');
  return serve(name);
}
