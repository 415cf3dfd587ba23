import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { AnsweredError, type Answer as ClientAnswer } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { describedAs, parseLink } from '../../tickets/command-rules.ts';
import { matchName } from '../../tickets/rules.ts';
import { beginObserving, endObserving, observedChannel, observedTickets } from '../../threads/observed.ts';
import { refuse, type Work, setUpRefusal, type CommandRequest, isAdmin, queueHere } from './request.ts';
import {
  OWN_SETTING_NAMES,
  ownSetting,
  type OwnSettingName,
  setOwnSetting,
  settingNamed,
  shownValue,
} from '../../tickets/own-settings.ts';
import { shorten, type TeamThread } from '../../../contract/index.ts';
import { teamThreadOf } from '../../tickets/channels.ts';
import { actions, button, richLine, richWords, section } from '../../blocks/kit.ts';
import { ACTIONS, linesUnder } from '../../blocks/results.ts';
import { ageOf } from '../../blocks/time.ts';
import { peopleNamed, type Person } from '../../people/people.ts';
import { readersWords } from '../../tickets/who-reads.ts';
import type { ActionAnswer } from '../../tickets/update-ticket.ts';

type Queue = ClientAnswer<'listQueues'>['items'][number];

/** The commands that set up a channel. */
export const setUpCommands = {
  /** `/ticket link`: links a channel to a queue, or observes it (B7, B56). */
  link: {
    changes: true,
    async run(bridge, asked) {
      const { channel, team, person } = asked;
      const { queue: typed, triage, teamThread, observe } = parseLink(asked.words);
      const queues = await offeredQueues(bridge);
      const queue = queueNamed(typed, queues);
      if (!queue) return whichQueue(bridge, typed, queues);
      if (await bridge.chat.isDirect(channel))
        return refuse('A direct message cannot be linked. Type this in the channel to link.');
      const links = await bridge.channels.linksOf(channel);
      const refusal = await setUpRefusal(bridge, person, [queue.id, ...links.map(({ queueId }) => queueId)]);
      if (refusal) return refuse(refusal);
      const name = `*${escapeMrkdwn(queue.name)}*`;
      const same = links.find((one) => one.queueId === queue.id && one.triage === triage);
      if (same && (teamThread ?? same.teamThread) === same.teamThread && !observe)
        return { text: `This channel is linked to ${name} already.` };
      if (observe && links.length > 0)
        return refuse(
          `This channel is linked, so it cannot be observed. Type \`${bridge.command} unlink\` first.`,
        );
      const place = await enter(bridge, channel);
      if ('refused' in place) return place;
      if (observe) {
        await beginObserving(bridge.database.db, {
          team_id: team,
          channel_id: channel,
          queue_id: queue.id,
          workspace_id: queue.workspaceId,
          requested_by: person.chat_user_id,
          since: bridge.clock.now(),
        });
        return {
          text: `I observe this channel for ${name} and post nothing. \`${bridge.command} observed\` lists the tickets that I would have opened; \`${bridge.command} link ${escapeMrkdwn(queue.prefix)}\` links it.`,
        };
      }
      let shows: TeamThread = 'notes';
      const failed = await atService(async () => {
        const linked = await bridge.service.linkChatChannel({
          body: {
            channelId: channel,
            channelName: place.name ?? null,
            type: triage ? 'TRIAGE' : 'REQUEST',
            queueId: queue.id,
            workspaceId: queue.workspaceId,
            teamId: team,
            private: place.isPrivate,
            ...(teamThread && { teamThread }),
          },
        });
        shows = teamThreadOf(linked);
      });
      if (failed) return failed;
      await endObserving(bridge.database.db, { team, channel });
      bridge.channels.forget();
      return linkedAnswer(queue, { shows: triage ? shows : undefined, isPrivate: place.isPrivate });
    },
  },

  /** `/ticket unlink`: removes a channel's link and stops observing it. */
  unlink: {
    changes: true,
    async run(bridge, { channel, team, person }) {
      const place = { team, channel };
      const links = await bridge.channels.linksOf(channel);
      const watched = await observedChannel(bridge.database.db, place);
      const queueIds = [...links.map(({ queueId }) => queueId), ...(watched ? [watched.queue_id] : [])];
      if (queueIds.length === 0)
        return refuse(
          `This channel is not linked. \`${bridge.command} ${describedAs('link').form}\` links it.`,
        );
      const refusal = await setUpRefusal(bridge, person, queueIds);
      if (refusal) return refuse(refusal);
      for (const { id } of links) {
        const failed = await atService(() => bridge.service.unlinkChatChannel({ params: { id } }), true);
        if (failed) return failed;
      }
      await endObserving(bridge.database.db, place);
      bridge.channels.forget();
      return {
        text:
          links.length > 0
            ? 'This channel is unlinked. Open tickets keep their threads.'
            : 'I no longer observe this channel. My records of it are deleted.',
      };
    },
  },

  /** `/ticket settings`: shows or sets the bridge's own settings (B0). */
  settings: {
    changes: true,
    async run(bridge, asked) {
      const [, typed = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(asked.words) ?? [];
      if (!typed) return showSettings(bridge, asked);
      const match = matchName(typed, SETTINGS);
      if (!match || 'candidates' in match) {
        const names = SETTINGS.map(({ label }) => `\`${label}\``).join(', ');
        return refuse(
          `There is no setting “${escapeMrkdwn(typed)}”. There are ${names}: \`${bridge.command} settings\` shows them.`,
        );
      }
      return changeSetting(bridge, asked, match.found.label, value);
    },
  },

  /** `/ticket observed`: tickets that would have been opened in an observed channel (B56). */
  observed: {
    run: (bridge, { team, channel }) => observedPage(bridge, { team, channel }),
  },
} satisfies Record<string, Work>;

/** Says what a link does; where not everyone reads the queue's tickets, also who reads them in this channel. */
function linkedAnswer(
  { id, name, visibility }: Pick<Queue, 'id' | 'name' | 'visibility'>,
  { shows, isPrivate }: { shows: TeamThread | undefined; isPrivate: boolean },
): ActionAnswer {
  const queue = `*${escapeMrkdwn(name)}*`;
  const readers = readersWords(visibility ?? 'workspace', name);
  if (shows) {
    const linked = `This is the triage channel of ${queue} now: its members are the team. The threads of its cards show ${SHOWS[shows]}.`;
    if (readers === undefined || isPrivate) return { text: linked };
    return {
      text: `${linked} ${readers} This channel is public, so anyone can join the team, and cards of its tickets are not shown here: make it private.`,
    };
  }
  const linked = `This channel is linked to ${queue}: mention me, or react to a message with :ticket:, and a ticket opens in its thread.`;
  if (readers === undefined) return { text: linked };
  const text = `${linked}\n:warning: ${readers} But *everyone who reads this channel reads the threads in it.* React with :shushing_face: instead, and a ticket gets a private channel of its own; or let every request from here have one.`;
  return {
    text,
    blocks: [section(text), actions([button(ACTIONS.ownChannels, 'Private channels for all requests', id)])],
  };
}

/** The button of that answer: from now on each request from the queue's channels gets a private channel of its own. */
export async function turnOnOwnChannels(
  bridge: Bridge,
  person: Person,
  queueId: string,
): Promise<ActionAnswer> {
  const refusal = await setUpRefusal(bridge, person, [queueId]);
  if (refusal) return refuse(refusal);
  await setOwnSetting(bridge, 'own-channels', 'on', queueId);
  return {
    text: `Each new request in the channels of *${await queueName(bridge, queueId)}* is private now, and goes on in a private channel with its requester and the team. Whoever reads the channel still reads the message that asks. \`${bridge.command} settings own-channels off\` ends it.`,
  };
}

/** The messages that the team's threads show. */
const SHOWS: Record<TeamThread, string> = {
  everything: 'the whole conversation and the team’s notes',
  answers: 'the replies to the requester and the team’s notes',
  notes: 'the team’s notes only',
};

async function offeredQueues(bridge: Bridge): Promise<Queue[]> {
  const queues: Queue[] = [];
  for (const workspaceId of await bridge.channels.offered())
    queues.push(...(await bridge.service.listQueues({ query: { workspaceId } })).items);
  return queues.filter(({ deletedAt }) => !deletedAt);
}

/** Finds a queue by its prefix, its name or the start of its name. */
function queueNamed(typed: string, queues: readonly Queue[]): Queue | undefined {
  const byPrefix = queues.filter(({ prefix }) => prefix.toLowerCase() === typed.toLowerCase());
  const [only] = byPrefix;
  if (only && byPrefix.length === 1) return only;
  const named = queues.map((queue) => ({ label: queue.name, queue }));
  const match = matchName(typed, named);
  return match && 'found' in match ? match.found.queue : undefined;
}

function whichQueue({ command }: Bridge, typed: string, queues: readonly Queue[]): ActionAnswer {
  const names = queues
    .map(({ prefix, name }) => `\`${escapeMrkdwn(prefix)}\` ${escapeMrkdwn(name)}`)
    .join(', ');
  const why = typed ? `There is no one queue “${escapeMrkdwn(typed)}”.` : 'Which queue?';
  return refuse(
    `${why} Type \`${command} ${escapeMrkdwn(describedAs('link').form)}\` with one of: ${names || 'none yet; create one at the help desk first'}.`,
  );
}

/** Joins a public channel; only a member can add the app to a private one. */
export async function enter(
  { chat, bot }: Pick<Bridge, 'chat' | 'bot'>,
  channel: string,
): Promise<{ name: string | undefined; isPrivate: boolean } | (ActionAnswer & { refused: true })> {
  const invite = `Type \`/invite @${escapeMrkdwn(bot.name)}\` here, then run the command again.`;
  const refused = (text: string) => ({ text, refused: true as const });
  try {
    const facts = await chat.channel(channel);
    if (facts.isMember) return facts;
    if (facts.isPrivate) return refused(`I am not in this channel. ${invite}`);
    await chat.join(channel);
    return facts;
  } catch (error) {
    // Slack's refusals are final; timeouts and rate limits are retried.
    if (!(error instanceof ChatError && error.certain && error.code && error.code !== 'ratelimited'))
      throw error;
    const { code, method = 'the call' } = error;
    if (HIDDEN.has(code)) return refused(`I am not in this channel. ${invite}`);
    if (code === 'is_archived')
      return refused('This channel is archived. Unarchive it, then run the command again.');
    if (code === 'missing_scope')
      return refused(
        `The app lacks the permission for ${method}, so nothing was linked. Ask an admin to reinstall it with the scopes of its manifest, or ${lowerFirst(invite)}`,
      );
    return refused(`Slack does not let me into this channel (${method}: \`${code}\`). ${invite}`);
  }
}

/** Slack's errors for a channel that is not visible to the app. */
const HIDDEN = new Set(['channel_not_found', 'not_in_channel', 'method_not_supported_for_channel_type']);

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The answer if the service cannot do it, or the bridge's key may not; `gone`: a missing record counts as success. */
async function atService(call: () => Promise<unknown>, gone = false): Promise<ActionAnswer | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!(error instanceof AnsweredError)) throw error;
    if (error.status === 403)
      return refuse(
        'The bridge’s key may not link channels: it needs the role `admin`. Nothing was changed. Ask the help desk’s administrators.',
      );
    if (!error.missing) throw error;
    if (gone && error.status === 404 && error.code !== null) return undefined;
    return refuse(
      'This help desk does not allow linking channels from chat. Link the channel at the help desk.',
    );
  }
}

const SETTINGS = OWN_SETTING_NAMES.map((label) => ({ label }));

async function changeSetting(
  bridge: Bridge,
  { channel, person }: CommandRequest,
  name: OwnSettingName,
  value: string,
): Promise<ActionAnswer> {
  const { of, values, default: usual } = settingNamed(name);
  const queueId = (await queueHere(bridge, channel))?.queueId;
  if (of === 'queue') {
    if (queueId === undefined)
      return refuse(`\`${name}\` is set for each queue. Type this in a channel that is linked to one.`);
    const refusal = await setUpRefusal(bridge, person, [queueId]);
    if (refusal) return refuse(refusal);
  } else if (!(await isAdmin(bridge, person)))
    return refuse(
      `\`${name}\` applies to everyone: only admins of this Slack workspace can do that. Ask one of them.`,
    );
  if (!(await setOwnSetting(bridge, name, value, queueId)))
    return refuse(
      `\`${name}\` is ${values}. Type for example \`${bridge.command} settings ${name} ${shownValue(usual)}\`.`,
    );
  const now = shownValue(await ownSetting(bridge, name, queueId));
  const where = of === 'queue' ? ` for *${await queueName(bridge, queueId)}*` : '';
  return { text: `\`${name}\` is *${now}* now${where}.` };
}

async function showSettings(bridge: Bridge, { channel }: CommandRequest): Promise<ActionAnswer> {
  const queueId = (await queueHere(bridge, channel))?.queueId;
  const lines: string[] = [];
  const perQueue: string[] = [];
  for (const name of OWN_SETTING_NAMES) {
    const { of, does, values } = settingNamed(name);
    if (of === 'queue') perQueue.push(`\`${name}\``);
    const isHere = of === 'workspace' || queueId !== undefined;
    const value = isHere ? `*${shownValue(await ownSetting(bridge, name, queueId))}*` : 'per queue';
    lines.push(`• \`${name}\` ${value} — ${does} (${values})`);
  }
  const queue = queueId ? `, ${perQueue.join(', ')} for *${await queueName(bridge, queueId)}*` : '';
  const head = `*The bridge’s own settings*${queue}. Type \`${bridge.command} settings &lt;name&gt; &lt;value&gt;\`; all else is set at the help desk.`;
  return { text: [head, ...lines].join('\n') };
}

async function queueName({ channels }: Bridge, queueId: string | undefined): Promise<string> {
  const queue = queueId === undefined ? undefined : await channels.queue(queueId);
  return escapeMrkdwn(queue?.name ?? 'this queue');
}

const PAGE = 10;
const TITLE_SHOWN = 150;

/** @param before the timestamp of the last one shown. */
export async function observedPage(
  bridge: Bridge,
  place: { team: string; channel: string },
  before?: string,
): Promise<ActionAnswer> {
  const { db } = bridge.database;
  const watched = await observedChannel(db, place);
  if (!watched)
    return refuse(
      `I do not observe this channel. \`${bridge.command} link &lt;queue&gt; --observe\` makes me observe it without posting.`,
    );
  const queue = escapeMrkdwn((await bridge.channels.queue(watched.queue_id))?.name ?? watched.queue_id);
  const { tickets, total } = await observedTickets(db, place, { before, limit: PAGE });
  const now = bridge.clock.now();
  if (tickets.length === 0)
    return {
      text: before
        ? 'There are no more results.'
        : `I have observed this channel for *${queue}* since ${ageOf(watched.since, now)}, and would have opened no ticket.`,
    };
  const authors = tickets.map(({ chat_user_id }) => chat_user_id);
  const people = await peopleNamed(bridge, place.team, authors);
  const lines = tickets.map(({ title, reason, chat_user_id, seen_at }) => {
    const who = people.get(chat_user_id)?.name ?? 'somebody';
    return richLine([
      richWords(`${shorten(title, TITLE_SHOWN)}\n`, { bold: true }),
      richWords(`${who}  ·  ${reason}  ·  ${ageOf(seen_at, now)}`),
    ]);
  });
  const last = tickets.at(-1);
  return linesUnder(
    `Would have been opened in *${queue}*: ${total}`,
    lines,
    tickets.length === PAGE && last ? [button(ACTIONS.moreObserved, 'Next page', last.ts)] : [],
  );
}
