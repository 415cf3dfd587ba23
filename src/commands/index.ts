import type { CliCommand, CommandOption } from './command.ts';

/** Which chat workspace a command is about, where several have installed the app. */
const WORKSPACE: CommandOption = {
  type: 'string',
  value: 'id or name',
  does: 'the chat workspace that is meant, where several have installed the app',
};

const DEMO: CommandOption = { type: 'boolean', does: 'fill an empty database with the demo' };

export const commands: Record<string, CliCommand> = {
  start: {
    does: 'start everything that is not configured to be elsewhere',
    usage: ['start [--demo]'],
    options: { demo: DEMO },
    load: () => serving('start'),
  },
  service: {
    does: 'start the ticketing service alone',
    usage: ['service [--demo]'],
    options: { demo: DEMO },
    load: () => serving('service'),
  },
  bridge: {
    does: 'start the bridge alone (SERVICE_URL; SLACK_BOT_TOKEN or SLACK_CLIENT_ID)',
    usage: ['bridge'],
    load: () => serving('bridge'),
  },
  sandbox: {
    does: 'start the sandbox workspace alone',
    usage: ['sandbox'],
    load: () => serving('sandbox'),
  },
  migrate: {
    does: 'bring the database up to date, then end',
    usage: ['migrate'],
    load: async () => (await import('./migrate.ts')).migrateAll,
  },
  keys: {
    does: 'create|list|revoke API keys of the embedded service',
    usage: ['keys list', 'keys create <name> [--role <role>]', 'keys revoke <id>'],
    options: {
      role: {
        ...{ type: 'string', value: 'role', default: 'agent' },
        does: 'what the new key may do: read, agent (when absent) or admin',
      },
    },
    load: async () => (await import('./keys.ts')).keys,
  },
  import: {
    does: 'applications <file>: import applications from JSON or CSV',
    usage: ['import applications <file.json or file.csv> [--workspace <id or slug>]'],
    options: {
      workspace: {
        ...{ type: 'string', value: 'id or slug' },
        does: "the service's workspace that they are for, where it is not the first one",
      },
    },
    load: async () => (await import('./import.ts')).importCommand,
  },
  export: {
    does: '<folder>: write everything of the service as JSON, a record a line',
    usage: ['export <folder>'],
    load: async () => (await import('./export.ts')).exportCommand,
  },
  doctor: {
    does: 'look at everything and say how to mend it; --live --channel C… compares a workspace with the sandbox',
    usage: ['doctor [--json] [--workspace <id or name>]', 'doctor --live --channel <id>'],
    options: {
      json: { type: 'boolean', does: 'print the findings as JSON' },
      live: { type: 'boolean', does: 'compare a real workspace with what the sandbox assumes of Slack' },
      channel: {
        ...{ type: 'string', value: 'id' },
        does: 'the channel that --live may write to, made for testing and with the app in it',
      },
      workspace: WORKSPACE,
    },
    load: async () => (await import('./doctor.ts')).doctor,
  },
  parked: {
    does: 'list|retry|drop what could not cross',
    usage: ['parked list', 'parked retry <id…|all>', 'parked drop <id…|all>'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./parked.ts')).parked,
  },
  people: {
    does: 'list|link|unlink who speaks as whom, and let bots take part',
    usage: [
      'people list [words]',
      'people link <chat user id> <user id or e-mail>',
      'people unlink <chat user id>',
      'people bots [allow|refuse]',
    ],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./people.ts')).people,
  },
  reconcile: {
    does: 'compare chat and service now, and repair what was missed',
    usage: ['reconcile'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./reconcile.ts')).reconcile,
  },
  rebuild: {
    does: 'restore the links from chat and the service',
    usage: ['rebuild'],
    options: { workspace: WORKSPACE },
    load: async () => (await import('./reconcile.ts')).rebuild,
  },
  manifest: {
    does: 'print manifest.yml for your Slack workspace; with --http for events by HTTP (PUBLIC_URL), with --organisation to be installed in a whole organisation',
    usage: ['manifest [--http] [--organisation]'],
    options: {
      http: { type: 'boolean', does: 'events come by HTTP, at PUBLIC_URL, and not by Socket Mode' },
      organisation: {
        type: 'boolean',
        does: 'to be installed in a whole organisation (SLACK_CLIENT_ID)',
      },
    },
    load: async () => (await import('./manifest.ts')).manifest,
  },
  workspaces: {
    does: 'list the chat workspaces that installed the app, and give the link to install it',
    usage: ['workspaces'],
    load: async () => (await import('./workspaces.ts')).workspaces,
  },
};

async function serving(name: 'start' | 'service' | 'bridge' | 'sandbox') {
  const { serve } = await import('./serve.ts');
  return serve(name);
}
