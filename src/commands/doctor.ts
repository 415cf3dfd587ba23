import { type DoctorOptions, type Finding, openDoctor } from '../bridge/index.ts';
import { type Config, credentialsOf } from '../start/config.ts';
import { openInstallations } from '../start/installed.ts';
import { botScopes } from '../start/manifest.ts';
import { Parts, StartError } from '../platform/lifecycle.ts';
import { connectionFor, receivesFor } from '../start/connection.ts';
import { checkedProviders } from '../start/sign-in.ts';
import type { Surroundings } from '../start/surroundings.ts';
import { type Run, workspaceIn } from './command.ts';
import { compareWithLive } from './live-facts.ts';
import { isUntrusted, listTeams, noneOf, openService } from './trust.ts';

/** Checks everything the bridge depends on and reports what is wrong and how to fix it. */
export const doctor: Run = async (invocation) => {
  const { config, around, values } = invocation;
  if (values.live === true) return compareWithLive(invocation);
  // The findings are the output; log lines would mix with them.
  const quiet = { ...around, log: around.log.child({}, { level: 'silent' }) };
  const examined = await Promise.all([
    examine(config, quiet, workspaceIn(invocation)),
    examineSignIn(config, quiet),
  ]);
  const findings = examined.flat();
  const text =
    values.json === true ? JSON.stringify({ state: worstOf(findings), findings }) : reportText(findings);
  process.stdout.write(`${text}\n`);
  return worstOf(findings) === 'bad' ? 1 : 0;
};

async function examine(
  config: Config,
  around: Surroundings,
  workspace: string | undefined,
): Promise<Finding[]> {
  const parts = new Parts(around.log);
  try {
    const options = await optionsFor(config, parts, around, workspace);
    const findings = await parts.add('doctor', openDoctor(options)).examine();
    const isAnswered = findings.some(({ id, state }) => id === 'service.key' && state === 'ok');
    if (!isAnswered) return findings;
    return [...findings, ...(await examineTrust(config, parts, around, options.databaseUrl))];
  } catch (error) {
    // The database could not be opened; the message says what to do.
    if (!(error instanceof StartError)) throw error;
    return [{ id: 'database', state: 'bad', says: error.message }];
  } finally {
    await parts.stop();
  }
}

/**
 * Names the Slack workspaces that have the app, but are not trusted. Of a bridge that serves one workspace by its
 * token: those that a bridge reported by name.
 */
async function examineTrust(
  config: Config,
  parts: Parts,
  around: Surroundings,
  databaseUrl: string,
): Promise<Finding[]> {
  const teams = await listTeams(await openService(config, parts, around)).catch(noneOf);
  const served = credentialsOf(config)
    ? await (await openInstallations(config, parts, around, databaseUrl)).all()
    : teams
        .filter(({ id }) => id.startsWith('T'))
        .flatMap(({ id, name, organisationId }) =>
          name ? [{ team: id, name, organisation: organisationId }] : [],
        );
  return served
    .filter(({ team, organisation }) => isUntrusted(teams, team, organisation))
    .map(({ team, name, organisation }) => ({
      id: 'chat.trust',
      state: 'warn',
      says: `The Slack workspace ${name} (${team}) has the app, but is not trusted: its people are guests, and are not matched by e-mail address.`,
      fix: `If it is yours, run \`npx deskbridge workspaces trust ${team}\`${organisation ? `, or ${organisation} for its whole organisation` : ''}. If not, uninstall the app there.`,
    }));
}

/** People sign in at the embedded service only. */
async function examineSignIn(config: Config, { clock }: Surroundings): Promise<Finding[]> {
  return (await checkedProviders(config, clock)).flatMap(({ id, name, problems }): Finding[] => {
    const check = `sign-in.${id}`;
    if (problems.length === 0) return [{ id: check, state: 'ok', says: `${name} signs people in.` }];
    return problems.map(({ says, fix }) => ({
      id: check,
      state: 'bad',
      says,
      fix,
    }));
  });
}

async function optionsFor(
  config: Config,
  parts: Parts,
  around: Surroundings,
  workspace: string | undefined,
): Promise<DoctorOptions> {
  return {
    ...(await connectionFor(config, parts, around, workspace)),
    receives: receivesFor(config),
    scopes: await botScopes(),
    adminChannel: config.ADMIN_CHANNEL,
    reconcileEveryMs: config.RECONCILE_EVERY_SECONDS * 1000,
    starts: { service: config.embeddedService, sandbox: config.sandbox },
  };
}

function worstOf(findings: readonly Finding[]): Finding['state'] {
  return (['bad', 'warn'] as const).find((state) => findings.some((one) => one.state === state)) ?? 'ok';
}

function reportText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ id, state, says, fix }) => [
    `${state.padEnd(5)} ${id.padEnd(18)} ${says}`,
    ...(fix === undefined ? [] : [`${' '.repeat(25)}→ ${fix}`]),
  ]);
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  const sum =
    worstOf(findings) === 'ok'
      ? 'No problems found.'
      : `${count('bad')} failed, ${count('warn')} warnings, ${count('ok')} passed.`;
  const next = nextStep(findings);
  return [...lines, '', sum, ...(next === undefined ? [] : [`Next: ${next}`])].join('\n');
}

/** The order in which a help desk is set up: earlier findings block later ones. */
const SETUP = [
  'chat.token',
  'chat.scopes',
  'chat.connection',
  'database',
  'running',
  'service.key',
  'service.webhook',
  'chat.channels',
];

/** Returns the first thing to do now, or undefined if there is nothing to do. */
function nextStep(findings: readonly Finding[]): string | undefined {
  const rank = ({ id }: Finding) => (SETUP.includes(id) ? SETUP.indexOf(id) : SETUP.length);
  return findings.filter(({ fix }) => fix !== undefined).toSorted((a, b) => rank(a) - rank(b))[0]?.fix;
}
