import type { ConnectOptions } from '../bridge/index.ts';
import { type Config, localHost, localUrl, publicUrlOf } from './config.ts';
import { databaseFor } from './database.ts';
import { DEMO } from './demo.ts';
import { installedChoice } from './installed.ts';
import type { Parts } from '../platform/lifecycle.ts';
import { ownSecrets, unguessable } from './secrets.ts';
import type { Surroundings } from './surroundings.ts';

/** Returns how this bridge receives events from chat. */
export function receivesFor(config: Config): { appToken: string } | 'http' {
  if (config.sandbox) return config.SANDBOX_TRANSPORT === 'http' ? 'http' : { appToken: DEMO.app.appToken };
  return config.SLACK_APP_TOKEN ? { appToken: config.SLACK_APP_TOKEN } : 'http';
}

/** Returns where the service is, embedded or external. */
export function serviceOf(config: Config): { url: string; tokenHeader: string } {
  return { url: config.SERVICE_URL ?? `${localUrl(config)}/api`, tokenHeader: config.SERVICE_TOKEN_HEADER };
}

/** Returns the service of this configuration, which may or may not be running, with the bridge's own key. */
export async function serviceFor(config: Config): Promise<ConnectOptions['service']> {
  const token = config.SERVICE_API_TOKEN ?? (await ownSecrets(config.DATA_DIR)).serviceApiToken;
  return { ...serviceOf(config), token };
}

/** Returns both sides that a bridge of this configuration connects. */
export function connectionOf(
  config: Config,
  { log, clock, newId, random }: Surroundings,
  databaseUrl: string,
  token: string,
): Omit<ConnectOptions, 'chat'> {
  return {
    databaseUrl,
    service: { ...serviceOf(config), token },
    publicUrl: publicUrlOf(config),
    fileBytes: config.CHAT_FILE_MEGABYTES * 1_048_576,
    noticeAfterMs: config.CHAT_NOTICE_SECONDS * 1000,
    settingsKeptMs: config.CHAT_SETTINGS_SECONDS * 1000,
    command: config.COMMAND,
    log,
    clock,
    newId,
    random,
    newSecret: unguessable,
  };
}

/**
 * The same for a command that runs next to a running bridge: on its database, with its service and its chat, including
 * the sandbox.
 * @param workspace the id or name of the Slack workspace, if several have installed the app.
 */
export async function connectionFor(
  config: Config,
  parts: Parts,
  around: Surroundings,
  workspace?: string,
): Promise<ConnectOptions & { team?: string }> {
  const databaseUrl = await databaseFor(config, parts, around.log, ['bridge']);
  const { token } = await serviceFor(config);
  const connection = connectionOf(config, around, databaseUrl, token);
  const chosen = await installedChoice(config, parts, around, databaseUrl, workspace);
  if (chosen) return { ...connection, ...chosen };
  const sandboxApi = `http://${localHost(config.SANDBOX_HOST)}:${config.SANDBOX_PORT}/api/`;
  return {
    ...connection,
    chat: config.sandbox
      ? { botToken: DEMO.app.botToken, apiUrl: sandboxApi }
      : { botToken: config.SLACK_BOT_TOKEN ?? '', apiUrl: config.SLACK_API_URL },
  };
}
