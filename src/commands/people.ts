import { openPeople, type KnownPerson, type PeopleTable } from '../bridge/index.ts';
import { Parts } from '../platform/lifecycle.ts';
import { personRole } from '../contract/index.ts';
import { createSignInLink, SignInLinkError } from '../service/index.ts';
import { publicUrlOf } from '../start/config.ts';
import { connectionFor } from '../start/connection.ts';
import { databaseFor } from '../start/database.ts';
import { type Invocation, type Run, UsageError, workspaceIn } from './command.ts';
import { erasePerson } from './erase-person.ts';

const USAGE =
  'Usage: `deskbridge people list [words]`, `deskbridge people link <Slack user id> <user id or e-mail>`, `deskbridge people unlink <Slack user id>`, `deskbridge people bots [allow|refuse]`, `deskbridge people sign-in-link <e-mail> [--role requester|agent|admin]`, or `deskbridge people erase <user id or e-mail> [--yes]`.';

/** Shows which user of the service each chat user is linked to, changes links, and erases a user (docs/set-up.md). */
export const people: Run = async (invocation) => {
  const { config, around, positionals, values } = invocation;
  const [action, user, ...more] = positionals;
  if (action === 'erase' && user !== undefined && more.length === 0) return erasePerson(invocation, user);
  const parts = new Parts(around.log);
  try {
    if (positionals[0] === 'sign-in-link') {
      print(await signInLink(invocation, parts));
      return;
    }
    const open = async () => {
      const options = await connectionFor(config, parts, around, workspaceIn({ values }));
      const table = parts.add('people', await openPeople(options));
      if (table.away !== undefined && action !== 'link')
        process.stderr.write(`${table.away} Only what the bridge has stored is used.\n`);
      return table;
    };
    print(await answerTo(positionals, open));
  } finally {
    await parts.stop();
  }
};

async function answerTo(
  [action = 'list', first, second, ...more]: readonly string[],
  open: () => Promise<PeopleTable>,
): Promise<string> {
  if (more.length > 0) throw new UsageError(USAGE);
  if (action === 'list' && second === undefined) {
    const known = await (await open()).list(first);
    return known.length === 0 ? 'No Slack users yet.' : known.map(personLine).join('\n');
  }
  if (action === 'link' && first && second) {
    const linked = await (await open()).link(first, second);
    if ('refusal' in linked) throw new UsageError(linked.refusal);
    return `${first} is now linked to ${linked.name}.`;
  }
  if (action === 'unlink' && first && second === undefined) {
    if (!(await (await open()).unlink(first))) throw new UsageError(`${first} is not linked.`);
    return `${first} is matched by e-mail address and Slack account again.`;
  }
  if (action === 'bots' && second === undefined && (!first || first === 'allow' || first === 'refuse')) {
    const allowed = await (await open()).bots(first === undefined ? undefined : first === 'allow');
    return allowed
      ? 'Messages of other bots are forwarded to tickets.'
      : 'Messages of other bots are ignored.';
  }
  throw new UsageError(USAGE);
}

/** Creates a link that signs a user of the embedded service in, on its own database. */
async function signInLink(invocation: Invocation, parts: Parts): Promise<string> {
  const { config, around, positionals, values } = invocation;
  if (!config.embeddedService)
    throw new UsageError('SERVICE_URL points to another service: people sign in there.');
  const [, email, ...more] = positionals;
  const role = personRole.optional().safeParse(values['role']);
  if (!email?.includes('@') || more.length > 0 || !role.success) throw new UsageError(USAGE);
  try {
    const link = await createSignInLink(
      await databaseFor(config, parts, around.log, ['service']),
      { ...around, publicUrl: publicUrlOf(config) },
      { email, role: role.data, workspace: workspaceIn(invocation) },
    );
    return `${link.url}\nIt signs ${email} in as ${link.role}, once, within ten minutes.`;
  } catch (error) {
    throw error instanceof SignInLinkError ? new UsageError(error.message, { cause: error }) : error;
  }
}

function personLine({
  chatUserId,
  name,
  userId,
  linkedBy,
  isGuest,
  isBot,
  isDeactivated,
}: KnownPerson): string {
  const how = linkedBy === null ? 'matched' : `linked by ${linkedBy === 'self' ? 'themselves' : 'an admin'}`;
  const flags = [isBot && 'bot', isGuest && 'guest', isDeactivated && 'deactivated'].filter(Boolean);
  return [chatUserId, name, userId ?? 'no user', userId === null ? '' : how, flags.join(', ')].join('\t');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
