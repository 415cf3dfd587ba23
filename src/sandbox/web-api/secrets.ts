const SECRETS = ['client_secret', 'code', 'access_token', 'refresh_token'];

/** Arguments or an answer as the log may keep them: what would open something is not in it. */
export function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  if (!SECRETS.some((name) => name in fields)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRETS.includes(name) ? '…' : value]),
  );
}
