import type { Bridge } from '../../bridge.ts';
import { matchName } from '../../tickets/match-name-rules.ts';
import {
  OWN_SETTING_NAMES,
  ownSetting,
  type OwnSettingName,
  setOwnSetting,
  settingNamed,
  shownValue,
} from '../../tickets/own-settings.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { type Asked, refuse, type Said, type Work } from './asked.ts';
import { isAdmin, setUpRefusal } from './may-set-up.ts';
import { queueHere } from './queue-here.ts';

/** `/ticket settings`: shows or sets the bridge's own settings (B0). */
export const settings: Work = {
  changes: true,
  async run(bridge, asked) {
    const [, typed = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(asked.words) ?? [];
    if (!typed) return shown(bridge, asked);
    const match = matchName(
      typed,
      OWN_SETTING_NAMES.map((label) => ({ label })),
    );
    if (!match || 'candidates' in match)
      return refuse(
        `There is no setting “${escapeChat(typed)}”. There are ${OWN_SETTING_NAMES.map((name) => `\`${name}\``).join(', ')}: \`${bridge.command} settings\` shows them.`,
      );
    return set(bridge, asked, match.found.label, value);
  },
};

async function set(bridge: Bridge, asked: Asked, name: OwnSettingName, value: string): Promise<Said> {
  const { of, values } = settingNamed(name);
  const home = await queueHere(bridge, asked.channel);
  if (of === 'queue' && !home)
    return refuse(`\`${name}\` is set for each queue. Type this in a channel that is linked to one.`);
  const refusal =
    of === 'queue' && home
      ? await setUpRefusal(bridge, asked.person, [home.queueId])
      : (await isAdmin(bridge, asked.person))
        ? undefined
        : `\`${name}\` is set for everybody: only the workspace’s admins can do that. Ask one of them.`;
  if (refusal) return refuse(refusal);
  if (!(await setOwnSetting(bridge, name, value, home?.queueId)))
    return refuse(
      `\`${name}\` is ${values}. Type for example \`${bridge.command} settings ${name} ${shownValue(settingNamed(name).default)}\`.`,
    );
  const now = shownValue(await ownSetting(bridge, name, home?.queueId));
  return {
    text: `\`${name}\` is *${now}* now${of === 'queue' ? ` for *${await queueName(bridge, home?.queueId)}*` : ''}.`,
  };
}

async function shown(bridge: Bridge, { channel }: Asked): Promise<Said> {
  const home = await queueHere(bridge, channel);
  const lines: string[] = [];
  for (const name of OWN_SETTING_NAMES) {
    const { of, does, values } = settingNamed(name);
    const isHere = of === 'workspace' || home !== undefined;
    const value = isHere ? `*${shownValue(await ownSetting(bridge, name, home?.queueId))}*` : 'per queue';
    lines.push(`• \`${name}\` ${value} — ${does} (${values})`);
  }
  const perQueue = OWN_SETTING_NAMES.filter((name) => settingNamed(name).of === 'queue');
  const named = perQueue.map((name) => `\`${name}\``).join(', ');
  const queue = home ? `, ${named} for *${await queueName(bridge, home.queueId)}*` : '';
  return {
    text: [
      `*The bridge’s own settings*${queue}. Type \`${bridge.command} settings <name> <value>\`; all else is set at the help desk.`.replace(
        '<name> <value>',
        '&lt;name&gt; &lt;value&gt;',
      ),
      ...lines,
    ].join('\n'),
  };
}

async function queueName({ channels }: Bridge, queueId: string | undefined): Promise<string> {
  const queue = queueId === undefined ? undefined : await channels.queue(queueId);
  return escapeChat(queue?.name ?? 'this queue');
}
