import { type Client, createClient, ServiceError, workspaceIdsOf } from '../client/index.ts';
import { auditAction, type AuditEntry } from '../contract/index.ts';
import { StartError } from '../platform/lifecycle.ts';
import { serviceFor } from '../start/connection.ts';
import { type Run, UsageError } from './command.ts';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const NAMES_AT_ONCE = 100;

/** Prints the audit log of the service, oldest entry first, over its API. */
export const audit: Run = async ({ config, around: { clock, random }, values, positionals }) => {
  if (positionals.length > 0)
    throw new UsageError('Usage: `deskbridge audit [--since 7d] [--action <action>] [--json]`.');
  const since = sinceOf(values['since'], clock.now());
  const action = actionOf(values['action']);
  const { url, ...access } = await serviceFor(config);
  const service = createClient({ ...access, baseUrl: url, now: () => clock.now(), random });
  try {
    const query = { createdFrom: since.toISOString(), sortDirection: 'asc', action } as const;
    const entries: AuditEntry[] = [];
    for (const workspaceId of await workspaceIdsOf(service))
      for await (const entry of service.all('listAuditEntries', { query: { ...query, workspaceId } }))
        entries.push(entry as AuditEntry);
    entries.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    const lines =
      values['json'] === true
        ? entries.map((entry) => JSON.stringify(entry))
        : await linesOf(service, entries);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    if (error instanceof ServiceError)
      throw new StartError(`The audit log cannot be read: at ${url}, ${error.message}.`, { cause: error });
    throw error;
  } finally {
    await service.close();
  }
};

function sinceOf(given: unknown, now: Date): Date {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(String(given)) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  if (count === undefined || unitMs === undefined)
    throw new UsageError('--since takes a number with m, h or d (minutes, hours, days), such as 7d.');
  return new Date(now.getTime() - Number(count) * unitMs);
}

function actionOf(given: unknown): AuditEntry['action'] | undefined {
  if (given === undefined) return undefined;
  const { data } = auditAction.safeParse(given);
  if (!data) throw new UsageError(`--action takes one of ${auditAction.options.join(', ')}.`);
  return data;
}

async function linesOf(service: Client, entries: readonly AuditEntry[]): Promise<string[]> {
  if (entries.length === 0) return ['No entries.'];
  const nameOf = await actorNames(service, entries);
  return entries.map((entry) =>
    [entry.createdAt, entry.action, nameOf(entry), entry.subjectId ?? '–', entry.reason].join('\t'),
  );
}

/** Returns the name of who did it: a person, an API key, or the service. */
async function actorNames(
  service: Client,
  entries: readonly AuditEntry[],
): Promise<(entry: AuditEntry) => string> {
  const names = new Map<string, string>();
  const ids = [...new Set(entries.flatMap(({ actorId }) => actorId ?? []))];
  for (const workspaceId of new Set(entries.map((entry) => entry.workspaceId))) {
    for (let at = 0; at < ids.length; at += NAMES_AT_ONCE) {
      const set = ids.slice(at, at + NAMES_AT_ONCE).join(',');
      for await (const { id, firstName, lastName } of service.all('listUsers', {
        query: { set, workspaceId },
      }))
        names.set(id, [firstName, lastName].filter(Boolean).join(' ') || id);
    }
    for await (const { id, name } of service.all('listApiKeys', { query: { workspaceId } }))
      names.set(id, `API key ${name}`);
  }
  return ({ actorId, actorKeyId }) => {
    const id = actorId ?? actorKeyId;
    return id === null ? 'the service' : (names.get(id) ?? id);
  };
}
