import { type Client, createClient, ServiceError } from '../client/index.ts';
import type { ChatTeam } from '../contract/index.ts';
import type { Parts } from '../platform/lifecycle.ts';
import type { Config } from '../start/config.ts';
import { serviceFor } from '../start/connection.ts';
import type { Surroundings } from '../start/surroundings.ts';

/** Opens the service over its interface, as one of `parts`. */
export async function openService(
  config: Config,
  parts: Parts,
  { clock, random }: Surroundings,
): Promise<Client> {
  const { url, ...access } = await serviceFor(config);
  const service = createClient({ ...access, baseUrl: url, now: () => clock.now(), random });
  parts.add('service', { stop: () => service.close() });
  return service;
}

/** Which Slack workspaces and organisations are trusted. */
export const listTeams = async (service: Client): Promise<ChatTeam[]> =>
  (await service.listChatTeams({ query: { limit: 1_000 } })).items;

/** Another service may have no such list, or be away. */
export function noneOf(error: unknown): never[] {
  if (error instanceof ServiceError) return [];
  throw error;
}

/** Whether a Slack workspace is on the list, but neither it nor its organisation is trusted. */
export function isUntrusted(
  teams: readonly Pick<ChatTeam, 'id' | 'isTrusted' | 'organisationId'>[],
  id: string,
  organisation?: string | null,
): boolean {
  const listed = teams.find((team) => team.id === id);
  if (!listed) return false;
  const trusting = [id, organisation, listed.organisationId];
  return !teams.some((team) => team.isTrusted && trusting.includes(team.id));
}
