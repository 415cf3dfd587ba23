import { readFile, writeFile } from 'node:fs/promises';

import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';

import { inThreadExample } from '../../src/bridge/blocks/answers.ts';
import { COMMAND_NAMES, type CommandGroup, describedAs, GROUPS } from '../../src/bridge/decide/commands.ts';
import { OWN_SETTING_NAMES, settingNamed, shownValue } from '../../src/bridge/links/own-settings.ts';

const PAGE = new URL('../../docs/commands.md', import.meta.url);
const cell = (text: string) => text.replaceAll('|', '\\|');

const INTRODUCTION = `# Commands

Type \`/ticket\` (or the name that \`COMMAND\` gives it) and a command, anywhere in the workspace. The answer is for you
alone. This page is made from the table by which the bridge reads them (\`src/bridge/decide/commands.ts\`), and a test
compares the two. Rules (B…) are those of [chat-rules.md](chat-rules.md).

- **Which ticket** (\`<ref>\`): \`IT-42\`; \`#42\` in its queue’s channel; its id; a link to it, or to a message of its thread.
  Left out, you are offered a menu of your recent ones. In front of other words an id has letters and digits.
- **Names** of statuses, priorities, queues and lists: ignoring case, or their beginning, as long as it is one.
- **Times** by your own clock, as set in chat: \`tomorrow 9am\`, \`in 2 days\`, \`monday\`, \`5 May 14:00\`, \`2027-05-05\`. A day
  without a time is its morning for \`snooze\` and its end for \`due\`; \`04/05\` is asked back. \`off\` takes it away.
  They count from when you typed them, however long the service was away.
- **People** as \`@name\`, picked from the list that chat offers; \`me\`; \`nobody\`.
- **Who may**: the queue’s team everything, the requester \`close\` and \`reopen\`, everybody ask, list, search and show what
  they may see. What only some may see is neither listed nor counted for others.
- **In a ticket’s thread** chat takes no commands: mention the bot (the last column), or choose _Ticket actions_ in the
  menu of any message there. A mention with other words stays a reply.
- _Share here_ shows a public ticket, or a list without the private ones, to the whole channel.
- A slow service: within a second you are told that it is being worked on, then the answer follows. While the service is
  away, what changes something is kept and done later.`;

const AFTER = `## In a message’s menu

| Entry | Does |
| --- | --- |
| _Create ticket_ | opens the ticket of its thread |
| _Send to requester_ | makes an internal note an answer |
| _Ticket actions_ | what you may do to the ticket of this message |
| _Why?_ | what the bridge made of this message, by which rule, and what to change |
| _Retry_ | tries again to put a message that bears ⚠️ on its ticket |

## Linking a channel

\`/ticket link IT\` in a channel makes its requests tickets of that queue; with \`triage\` its members are the queue’s team;
with \`--observe\` the bridge only watches: it writes nothing there and opens nothing, and \`/ticket observed\` lists what it
would have opened. A public channel is joined; into a private one \`/invite\` the bot first. Workspace admins may, and the
team of each queue concerned; as long as a queue names no team (no triage channel, no \`autoAssignees\`) anybody may who is
no guest. The link is the service’s record (\`PUT /chat-channels\`); a service without it is linked at the service itself.

## Settings

The bridge’s own, where the service has no place for them: \`/ticket settings\` shows them, \`/ticket settings receipts on\`
sets one. One of a queue is set by its team or an admin in a channel of that queue, the others by admins.`;

function page(): string {
  const groups = (Object.keys(GROUPS) as CommandGroup[]).flatMap((group) => [
    `## ${GROUPS[group]}`,
    [
      '| Command | Does | For example | In the thread |',
      '| --- | --- | --- | --- |',
      ...COMMAND_NAMES.filter((name) => describedAs(name).group === group).map((name) => {
        const { form, does, example, also = [], inThread } = describedAs(name);
        const others = also.length > 0 ? ` (also ${also.map((one) => `\`${one}\``).join(', ')})` : '';
        const thread = inThread ? `\`${inThreadExample(example)}\`` : '';
        return `| \`${cell(form)}\`${others} | ${cell(does)} | \`${cell(example)}\` | ${thread} |`;
      }),
    ].join('\n'),
  ]);
  const settings = [
    '| Setting | Of | Values | Default | Does |',
    '| --- | --- | --- | --- | --- |',
    ...OWN_SETTING_NAMES.map((name) => {
      const { of, values, default: otherwise, does } = settingNamed(name);
      return `| \`${name}\` | ${of === 'queue' ? 'a queue' : 'all'} | ${values} | ${shownValue(otherwise)} | ${does} |`;
    }),
  ].join('\n');
  return [INTRODUCTION, ...groups, AFTER, settings].join('\n\n');
}

test('docs/commands.md shows every command and setting as the bridge reads them (else run with UPDATE_DOCS=1)', async () => {
  const config = await resolveConfig(PAGE);
  const made = await format(page(), { ...config, parser: 'markdown' });
  if (process.env['UPDATE_DOCS']) await writeFile(PAGE, made);
  expect(await readFile(PAGE, 'utf8')).toBe(made);
});
