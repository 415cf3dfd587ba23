import { expect, it } from 'vitest';

import type { Match } from '../../../src/contract/index.ts';
import { type Running, sharedService } from '../harness.ts';
import { uploadFile } from '../upload.ts';

const newWorkspace = sharedService();

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
interface Search {
  words: string;
  text: string;
}

const SEARCHES: readonly Search[] = CASES.flatMap(([text, ...searches], place) =>
  searches.map((words) => ({ words: filled(words, place), text: filled(text, place) })),
);

it('the word set has at least 150 searches', () => {
  expect(new Set(SEARCHES.map(({ words }) => words)).size).toBeGreaterThanOrEqual(150);
});

async function inGroups<Item, Result>(
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

async function made({ call }: Running, path: string, body: object): Promise<string> {
  const answer = await call('POST', path, { body });
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.body.id;
}

/** The tickets that the list and the ranked search find. */
async function found({ call }: Running, words: string, more: Record<string, string> = {}) {
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

it('every word that stands in a title or in a message finds its ticket, in the list and in the ranked search', async () => {
  const running = await newWorkspace();
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
  const lost = await inGroups(SEARCHES, async ({ words, text }) => {
    const { listed, ranked } = await found(running, words);
    return (ids.get(text) ?? ['none']).flatMap((id, place) => [
      ...(listed.includes(id) ? [] : [`list, ${place === 0 ? 'message' : 'title'}: ${words} of ${text}`]),
      ...(ranked.includes(id) ? [] : [`ranked, ${place === 0 ? 'message' : 'title'}: ${words} of ${text}`]),
    ]);
  });
  expect(lost.flat()).toEqual([]);
});

it('words of descriptions, notes, fields, people and files find the ticket, for those who may read them', async () => {
  const running = await newWorkspace();
  const { call } = running;
  const { items: queues } = (await call('GET', '/queues')).body;
  const queueId = queues[0]?.id ?? '';
  const requester = await made(running, '/users', {
    firstName: 'Żofia',
    lastName: 'Wiśniewska-Król',
    email: 'zofia.krol@people.example',
  });
  const fields = await inGroups(['Serial', 'Salary'], async (label) => {
    const { body } = await call('POST', '/custom-fields', { body: { label, type: 'TEXT' } });
    return body;
  });
  const requestTypeId = await made(running, '/request-types', { name: 'Laptop' });
  await call('PUT', `/request-types/${requestTypeId}`, {
    body: { customFields: fields.map(({ id }, at) => ({ customFieldId: id, private: at === 1 })) },
  });
  const [serial, salary] = fields.map(({ key }) => key);
  const ticket = await call('POST', '/tickets', {
    body: {
      title: 'Everything else',
      description: 'The **quokka** of `node-17.int.example` says 印刷できない',
      requesterId: requester,
      queueId,
      requestTypeId,
      customFields: { [serial ?? '']: 'SN/778-Ω', [salary ?? '']: 'secretive 98765' },
    },
  });
  const { id, code } = ticket.body;
  const messageId = await made(running, '/ticket-messages', { ticketId: id, content: 'A reply' });
  await made(running, '/ticket-messages', {
    ticketId: id,
    content: 'Escalated to **Xylophone** GmbH, see /etc/hidden.conf',
    private: true,
  });
  const noteId = await made(running, '/ticket-messages', {
    ticketId: id,
    content: 'With a file',
    private: true,
  });
  await uploadFile(running, `/ticket-messages/${noteId}/files`, { name: 'hidden.pdf' });
  await uploadFile(running, `/tickets/${id}/files?attach=true`, { name: 'Angebot_2026-Große.pdf' });
  await uploadFile(running, `/ticket-messages/${messageId}/files`, { name: 'screenshot 42.png' });
  const open = [
    ...['quokka', 'node-17.int.example', 'node-17', '印刷', 'wiśniewska', 'król', 'Wiśniewska-Król', 'żofia'],
    ...['zofia.krol@people.example', 'SN/778-Ω', '778', 'Angebot_2026-Große.pdf', 'angebot', 'GROSSE.PDF'],
    ...['screenshot 42.png', 'screenshot', code, code.toLowerCase(), 'quokka reply angebot 778 wiśniewska'],
  ];
  const closed = ['secretive', '98765', 'xylophone', '/etc/hidden.conf', 'hidden.conf', 'xylophone quokka'];
  const other = await made(running, '/users', { firstName: 'Other', email: 'other@people.example' });
  const viewers: Record<string, string>[] = [
    { visibleToUserId: other },
    { visibleToUserId: requester },
    { private: 'false' },
  ];
  for (const words of [...open, ...closed]) {
    const { listed, ranked, matches } = await found(running, words);
    expect([words, listed, ranked]).toEqual([words, [id], [id]]);
    expect([words, matches[0]?.by]).toEqual([words, 'words']);
  }
  const why = async (words: string, viewer: Record<string, string> = {}) =>
    (await found(running, words, viewer)).matches[0]?.snippets.map(({ field, text, marks }) => [
      field,
      ...marks.map(({ from, to }) => text.slice(from, to)),
    ]);
  for (const viewer of [{}, { visibleToUserId: requester }]) {
    expect(await why('angebot', viewer)).toEqual([['file', 'Angebot_2026-Große.pdf']]);
    expect(await why('screenshot', viewer)).toEqual([['file', 'screenshot']]);
    expect(await why('778', viewer)).toEqual([['field', 'SN/778-Ω']]);
  }
  expect(await why('98765')).toEqual([['note', '98765']]);
  // A word that is open elsewhere shows nothing of a private field to those who may not read it.
  expect(await why('reply', { visibleToUserId: requester })).toEqual([['message', 'reply']]);
  expect(await why('hidden.pdf')).toEqual([['note', 'hidden.pdf']]);
  for (const words of open)
    for (const viewer of viewers.slice(0, 2)) {
      const { listed, ranked } = await found(running, words, viewer);
      expect([words, viewer, listed, ranked]).toEqual([words, viewer, [id], [id]]);
    }
  for (const words of closed.slice(0, 5))
    for (const viewer of viewers.slice(0, 2)) {
      const { listed, ranked } = await found(running, words, viewer);
      expect([words, viewer, listed, ranked]).toEqual([words, viewer, [], []]);
    }
});

it('words that look like the values of parameters are searched like others', async () => {
  const running = await newWorkspace();
  const { call } = running;
  await made(running, '/tickets', { title: 'A chair' });
  for (const word of [
    'null',
    'undefined',
    'true',
    'false',
    '0',
    '1',
    'NaN',
    '-1',
    '2026-11-27',
    '[]',
    'limit',
  ])
    for (const parameter of ['query', 'search']) {
      const title = word === '[]' ? 'Brackets [] alone' : `The word ${word} alone`;
      const [known] = (await call('GET', `/tickets?search=${encodeURIComponent(title)}`)).body.items;
      const id = known?.id ?? (await made(running, '/tickets', { title }));
      const { status, body } = await call(
        'GET',
        `/tickets/semantic-search?${parameter}=${encodeURIComponent(word)}`,
      );
      expect([parameter, word, status]).toEqual([parameter, word, 200]);
      if (word !== '[]') expect([parameter, word, body.items[0]?.id]).toEqual([parameter, word, id]);
    }
  // Another program's absent value does not hide the words.
  const { body } = await call('GET', '/tickets/semantic-search?query=null&search=chair');
  expect(body.items.map(({ title }) => title)).toEqual(['A chair']);
  expect((await call('GET', '/tickets/semantic-search?query=&search=')).status).toBe(400);
});

it('a ticket with all words comes first, wherever they stand, and none is cut off up to the limit', async () => {
  const running = await newWorkspace();
  const { call } = running;
  for (let at = 0; at < 30; at++)
    await made(running, '/tickets', { title: `Projector ${at}`, description: 'The projector flickers' });
  const spread = await made(running, '/tickets', { title: 'Meeting' });
  for (const content of ['there is a projector', 'it is on the balcony', 'its remote is lost'])
    await made(running, '/ticket-messages', { ticketId: spread, content });
  const pasted =
    'Hello, there is a projector in the meeting room and it stands on the balcony because its remote was lost; the ' +
    'projector flickers when somebody closes the window while the heating runs and nobody knows whether that matters';
  for (const words of ['projector balcony remote', 'lost remote projector meeting', 'balcony projector'])
    expect([words, (await found(running, words)).ranked[0]]).toEqual([words, spread]);
  const exact = await made(running, '/tickets', { title: 'Old', description: pasted });
  expect((await found(running, pasted)).ranked[0]).toBe(exact);
  expect((await found(running, pasted)).listed).toEqual([exact]);
  const every = await call('GET', '/tickets/semantic-search?query=projector&limit=20');
  expect(every.body.items).toHaveLength(20);
});

it('names that look alike are one, and lists find them in both spellings of accents', async () => {
  const { call } = await newWorkspace();
  const [composed, decomposed] = ['caf\u00e9', 'CAFE\u0301'];
  const tag = await call('POST', '/tags', { body: { name: decomposed } });
  expect(tag.body).toMatchObject({ name: 'CAF\u00c9' });
  expect((await call('POST', '/tags', { body: { name: composed.toUpperCase() } })).status).toBe(409);
  await call('POST', '/queues', { body: { name: composed, prefix: 'CAFE' } });
  await call('POST', '/custom-fields', { body: { label: 'Zoe\u0308', type: 'TEXT' } });
  for (const search of [composed, 'cafe\u0301'])
    expect((await call('GET', `/queues?search=${encodeURIComponent(search)}`)).body.items).toHaveLength(1);
  for (const search of ['Zo\u00eb', 'Zoe\u0308'])
    expect(
      (await call('GET', `/custom-fields?search=${encodeURIComponent(search)}`)).body.items,
    ).toHaveLength(1);
});
