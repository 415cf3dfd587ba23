import { expect } from 'vitest';

import type { Match } from '../../../src/contract/index.ts';
import type { Running } from '../harness.ts';

/** A text as it is written, and searches of which each finds it. */
type Case = readonly [text: string, ...searches: string[]];

/** Each word is in one ticket only: `%` stands for a word of the case's own, so that no other case has it. */
const CASES: readonly Case[] = [
  // Ordinary words, which a likelihood took for too little.
  ...'cupboard charger shop reset light build mouse key door chair lamp desk plug cable room badge bag cup pen form'
    .split(' ')
    .map((word): Case => [`Something about the ${word} again`, word, word.toUpperCase()]),
  ['There is no light in %', 'no light %', 'light'],
  ['Put a spare one in the cupboard %', 'spare cupboard', '% cupboard'],
  // Stems and beginnings.
  ['The printers of % jam', 'printer %', 'jammed %', 'print %'],
  ['Installation of qwertzuiop', 'qwert', 'qwertzuiop', 'installing qwertzuiop'],
  ['antidisestablishmentarianism', 'antidis', 'antidisestablish', 'antidisestablishmentarianism'],
  ['node.js % crashed', 'node %', 'node.js %', 'nod %', '%.js crashed'.replace('%.', 'node.')],
  // Punctuation: in parts, and whole.
  [
    'Our printer/scanner % is broken',
    'scanner %',
    'printer/scanner %',
    'printer scanner %',
    'scanner printer %',
  ],
  ['TCP/IP settings % lost', 'TCP/IP %', 'tcp %'],
  ['Room 3/412 of %', '412 %', '3/412 %'],
  ['Log is in /var/log/syslog % today', 'syslog %', '/var/log/syslog %', 'var/log %', '/var/log %'],
  ['PO 2026-00123 % missing', '00123 %', '2026-00123 %'],
  ['Phone +49-30-5551234 of %', '5551234 %', '+49-30-5551234 %', '49-30 %'],
  ['Phone +1 (555) 010-9999 of %', '+1 (555) 010-9999 %', '010-9999 %', '9999 %'],
  ['Hostname web01.int.example down %', 'web01 %', 'web01.int.example %', 'int.example %', 'web01.int %'],
  [
    'Write to grace.hopper@navy.example %',
    'grace.hopper@navy.example',
    'hopper %',
    'navy.example %',
    'grace %',
  ],
  ['Copy C:\\Users\\Linus\\report.xlsx %', 'report.xlsx %', 'C:\\Users\\Linus\\report.xlsx %', 'linus %'],
  ['snake_case_name and kebab-case-name %', 'snake_case_name %', 'kebab-case-name %', 'snake %', 'kebab %'],
  ["O'Brien's laptop %", "O'Brien %", 'O’Brien’s %', 'brien %'],
  ['e-mails to % bounce', 'e-mail %', 'e-mails %', 'mail %'],
  ['Version 10.4.2-beta+7 of %', '10.4.2-beta+7 %', '10.4.2 %', 'beta %'],
  ['10.20.30.40 is not reachable from %', '10.20.30.40 %', '30.40 %'],
  ['Error 0x80070057 % occurred', '0x80070057', '0x8007 %'],
  ['MAC 00:1B:44:11:3A:B7 of %', '00:1B:44:11:3A:B7 %', '3A:B7 %'],
  ['Key=value pairs: retries=3&timeout=90 %', 'retries=3 %', 'timeout=90 %', 'timeout %'],
  ['50% of 1,000 euros for %', '1,000 euros %', '50% %'],
  ['Tags #wifi and @home of %', '#wifi %', '@home %', 'wifi %'],
  ['The C++ and C# build of %', 'C++ %', 'C# %'],
  ['user(s)/guest(s), if any, % use it', 'guest %', 'user(s) %'],
  ['Dash—words and “quoted” %', 'dash %', 'quoted %', '"quoted" %'],
  ['web‑07 with another hyphen %', 'web-07 %', 'web‑07 %'],
  ['Upgraded to v5.2.1-rc.3 of %', '5.2.1', '5.2.1-rc.3', 'v5.2.1', '2.1-rc %', 'rc.3 %', '5.2 %', '1-rc %'],
  ['Still on 7.40.2 of %', 'v7.40.2', '7.40 %', '40.2 %'],
  ['Incidents INC0019283, KB5034441 and sn-b40499 %', '0019283', '5034441', '40499', 'INC0019283', 'b40499'],
  [
    'Restore backup-2026.11.27_final.tar.gz %',
    'tar.gz %',
    '.gz %',
    '11.27_final',
    '27_final.tar.gz',
    '.tar %',
  ],
  [
    'Open src/app/v2/users.service.spec.ts %',
    'users.service',
    'app/v2/users %',
    '2/users.service',
    '.spec.ts',
  ],
  ['See \\\\nas07\\share$\\hr\\plan.v3.xlsx %', '07\\share$', 'hr\\plan %', 'plan.v3 %', 'xlsx %', '3.xlsx'],
  [
    'Ask first.last+tag@mail.w.example %',
    'last+tag',
    'tag@mail.w',
    'mail.w.example',
    'last %',
    '@mail.w.example',
  ],
  [
    'Host db12.fra3.int.w.example:5432 %',
    '12.fra3',
    'fra3.int',
    'w.example:5432',
    '5432 %',
    '3.int.w',
    'db12',
  ],
  ['The value is null, undefined or 0 of %', 'null %', 'undefined %', '0 %'],
  // Addresses, bare and as links.
  [
    'GET https://api.w.example:9443/v2/users?id=77&q=a %',
    'w.example:9443',
    'api.w.example',
    '2/users?id=77',
    'v2/users %',
    'id=77 %',
    '77&q=a',
  ],
  [
    'Broken link https://x.example/a?b=1 % please',
    'https://x.example/a?b=1 %',
    'x.example/a %',
    'x.example %',
  ],
  [
    'https://status.y.example/inc9?id=9&lang=en#top %',
    'https://status.y.example/inc9?id=9&lang=en#top',
    'status.y.example %',
    'inc9 %',
  ],
  [
    '[the manual](https://docs.z.example/printers/setup-guide) %',
    'manual %',
    'https://docs.z.example/printers/setup-guide',
    'setup-guide %',
    'docs.z.example',
  ],
  ['<https://auto.q.example/path-77> %', 'https://auto.q.example/path-77', 'path-77'],
  [
    '![the diagram](https://pics.z.example/net-diagram.png) %',
    'diagram %',
    'net-diagram.png',
    'pics.z.example %',
  ],
  ['[mail us](mailto:desk@mail.q.example) %', 'desk@mail.q.example', 'mail %'],
  // Markdown that disguises words.
  ['**Step 1:**&#x7A;ebrafish %', 'zebrafish', 'step %', 'zebrafish %', 'zebra'],
  ['un**believ**able %', 'unbelievable', 'unbelievable %'],
  ['line~~struck~~end of %', 'struck %', 'linestruckend', 'linestruck %', 'line %', 'end %'],
  ['q`codeq77`b and 標籤**粗體**字 %', 'codeq77', 'qcodeq77b', '粗體', '籤粗', '體字'],
  [
    '[handbook](https://docs.v.example/m)ish *half*way %',
    'handbookish',
    'handbook %',
    'halfway %',
    'half %',
    'way %',
  ],
  ['`inline_code_77` and ~~struck~~ %', 'inline_code_77', 'struck %'],
  ['A &amp; B &lt;Gadget88&gt; caf&eacute;s %', 'gadget88', 'cafés %'],
  ['Please click <Save> twice %', 'save %', '<Save> %'],
  ['press <Ctrl999> %', 'ctrl999', '<Ctrl999>'],
  ['List<Widget999> of %', 'widget999', 'List<Widget999> %', 'list %'],
  [
    '```xml\n<Server port="8443"><Hostname>kumquat</Hostname></Server>\n``` %',
    'kumquat',
    '8443 %',
    'hostname %',
    'server %',
  ],
  ['    indented code with persimmon %\n', 'persimmon', 'persimmon %'],
  [
    '| Device | Serial |\n| --- | --- |\n| laptop | SN-40417 |\n| dock | SN-40418 |\n\n%',
    'SN-40417 %',
    'SN-40418',
    'device %',
    '40418',
  ],
  ['- [ ] order a trackball\n- [x] return the joystick %', 'trackball', 'joystick %', 'order trackball'],
  ['> quoted marzipan\n\n# Heading nougat %', 'marzipan', 'nougat %'],
  ['1\\. escaped \\*asterisk\\* under\\_score %', 'asterisk %', 'under_score %'],
  ['<b>bolder</b> and <!-- hidden truffle --> %', 'bolder %', 'truffle'],
  // Scripts without spaces: by any two signs that follow each other.
  ['プリンターで印刷できない', '印刷', '印刷できない', 'プリンター', 'プリンターで印刷できない', 'きな'],
  ['无法打印文件', '打印', '文件', '无法打印文件', '印文'],
  ['**标签：**&#x6253;印机坏了', '打印机坏了', '标签', '机坏'],
  ['會議室投影機壞了', '投影機', '會議', '機壞'],
  ['네트워크가 끊겼어요', '네트워크', '네트', '끊겼'],
  ['เครื่องพิมพ์เสีย', 'พิมพ์', 'เสีย'],
  ['ﾈｯﾄﾜｰｸ障害', 'ネットワーク', '障害'],
  ['ＡＢＣ１２３ full width %', 'abc123', 'ABC123 %', 'ＡＢＣ１２３'],
  ['部门的VPN连接失败', 'VPN 连接', '连接失败', 'vpn连接'],
  ['髙橋さんの端末', '髙橋', '端末'],
  ['出張の𠮷野家', '𠮷野', '野家'],
  // Accents, composed or not, and case.
  ['St\u00fcck f\u00fcr M\u00fcller %', 'Stu\u0308ck', 'stück', 'MÜLLER %', 'Mu\u0308ller'],
  ['cafe\u0301 Zoe\u0308 %', 'caf\u00e9', 'CAFÉ %', 'zoë'],
  ['Große Straße %', 'strasse %', 'GROSSE %', 'straße'],
  ['ΛΟΓΟΣ και λόγος', 'λογος', 'ΛΌΓΟΣ'],
  ['Не работает принтер', 'принтер', 'ПРИНТЕР', 'принт'],
  ['ﬁnal ﬂow of %', 'final %', 'flow %'],
  ['İstanbul %', 'istanbul', 'İSTANBUL'],
  ['soft\u00adhyphen and zero\u200dwidth %', 'softhyphen', 'zerowidth'],
  // Words that say nothing, if there are no others.
  ['Who are they', 'who are they'],
  ['To be or not to be', 'to be or not to be', 'or not'],
];

/** A word that no other case has. */
const own = (place: number) =>
  `own${String.fromCodePoint(...Array.from(String(place + 10), (digit) => 0x71 + Number(digit)))}x`;
const filled = (text: string, place: number) => text.replaceAll(/(?<!\d)%/g, own(place));

/** Searches that have more than one word, or one that only their text has, and so find it alone or first. */
export interface Search {
  words: string;
  text: string;
}

export const SEARCHES: readonly Search[] = CASES.flatMap(([text, ...searches], place) =>
  searches.map((words) => ({ words: filled(words, place), text: filled(text, place) })),
);

/** The first two searches of each text. */
export const FIRST_SEARCHES: readonly Search[] = CASES.flatMap(([text, ...searches], place) =>
  searches.slice(0, 2).map((words) => ({ words: filled(words, place), text: filled(text, place) })),
);

/** Works on items, eight at a time; returns the results in their order. */
export async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += 8)
    results.push(
      ...(await Promise.all(items.slice(from, from + 8).map((item, at) => work(item, from + at)))),
    );
  return results;
}

/** Creates a record and returns its id. */
export async function made({ call }: Running, path: string, body: object): Promise<string> {
  const answer = await call('POST', path, { body });
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.body.id;
}

/** The tickets that the list and the ranked search find. */
export async function found({ call }: Running, words: string, more: Record<string, string> = {}) {
  const list = await call(
    'GET',
    `/tickets?${new URLSearchParams({ search: words, limit: '100', ...more }).toString()}`,
  );
  const ranked = await call(
    'GET',
    `/tickets/semantic-search?${new URLSearchParams({ query: words, limit: '20', ...more }).toString()}`,
  );
  expect([words, list.status, ranked.status]).toEqual([words, 200, 200]);
  const { matches } = ranked.body as unknown as { matches: Match[] };
  return {
    listed: list.body.items.map(({ id }) => id),
    ranked: ranked.body.items.map(({ id }) => id),
    matches,
  };
}

const TEXTS = CASES.map(([text], place) => filled(text, place));

/**
 * Writes each text of the word set as a message, and as a title if it is no Markdown. Returns which searches do not
 * find it in the list or in the ranked search: where, and with which words.
 */
export async function searchesThatMiss(running: Running, searches: readonly Search[]): Promise<string[]> {
  // A title is no Markdown.
  const isPlain = (text: string) => !/[\n[\]`|]|&#?\w+;|\*\*|~~|\\[*_.\\]/.test(text);
  const ids = new Map(
    await inGroups(TEXTS, async (text): Promise<[string, string[]]> => {
      const ticketId = await made(running, '/tickets', { title: 'Nothing in particular' });
      await made(running, '/ticket-messages', { ticketId, content: text });
      return [
        text,
        isPlain(text) ? [ticketId, await made(running, '/tickets', { title: text })] : [ticketId],
      ];
    }),
  );
  const lost = await inGroups(searches, async ({ words, text }) => {
    const { listed, ranked } = await found(running, words);
    return (ids.get(text) ?? ['none']).flatMap((id, place) => [
      ...(listed.includes(id) ? [] : [`list, ${place === 0 ? 'message' : 'title'}: ${words} of ${text}`]),
      ...(ranked.includes(id) ? [] : [`ranked, ${place === 0 ? 'message' : 'title'}: ${words} of ${text}`]),
    ]);
  });
  return lost.flat();
}
