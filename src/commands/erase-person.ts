import { createInterface } from 'node:readline/promises';

import {
  type Answer,
  AnsweredError,
  createClient,
  ServiceError,
  workspaceIdsOf,
  type Client,
} from '../client/index.ts';
import { StartError } from '../platform/lifecycle.ts';
import { serviceFor } from '../start/connection.ts';
import { type Invocation, UsageError } from './command.ts';

type User = Answer<'readUser'>;

/**
 * Erases a user of the service after a question on the terminal, or with `--yes`.
 * @param who a user id or an e-mail address.
 */
export async function erasePerson(
  {
    config,
    around: { clock, random },
    values,
    terminal,
  }: Pick<Invocation, 'config' | 'around' | 'values' | 'terminal'>,
  who: string,
): Promise<void> {
  const { url, ...access } = await serviceFor(config);
  const service = createClient({ ...access, baseUrl: url, now: () => clock.now(), random });
  try {
    const user = await userNamed(service, who);
    const { id, email } = user;
    const name = [user.firstName, user.lastName].filter(Boolean).join(' ');
    if (user.erasedAt !== null) throw new UsageError(`${id} is erased already.`);
    if (
      values['yes'] !== true &&
      !(await isConfirmed(`${[name, email].filter(Boolean).join(', ')} (${id})`, terminal))
    )
      throw new UsageError('Nothing was erased.');
    await service.eraseUser({ params: { id } });
    process.stdout.write(
      `${id} is erased: name, e-mail address, picture, Slack accounts and sessions are gone. Messages and tickets stay, under "Deleted user". Slack keeps what it has: deactivate the account there.\n`,
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const advice =
      error instanceof AnsweredError && error.missing ? 'This service cannot erase users' : error.message;
    throw new StartError(`Nothing was erased: at ${url}, ${advice}.`, { cause: error });
  } finally {
    await service.close();
  }
}

async function userNamed(service: Client, who: string): Promise<User> {
  const found: User[] = [];
  const by = who.includes('@') ? { email: who } : { set: who };
  for (const workspaceId of await workspaceIdsOf(service)) {
    const { items } = await service.listUsers({ query: { ...by, workspaceId } });
    found.push(...items.filter(({ id, email }) => id === who || email?.toLowerCase() === who.toLowerCase()));
  }
  const [user, ...more] = found;
  if (!user) throw new UsageError(`The service has no user ${who} that this key can see.`);
  if (more.length > 0)
    throw new UsageError(
      `Several workspaces have ${who}. Erase each by its id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return user;
}

async function isConfirmed(user: string, terminal: boolean): Promise<boolean> {
  if (!terminal || !process.stdin.isTTY)
    throw new UsageError('Without a terminal to confirm it, `deskbridge people erase` needs --yes.');
  const question = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await question.question(`Erase ${user}? This cannot be undone. Type "erase": `);
    return answer.trim() === 'erase';
  } finally {
    question.close();
  }
}
