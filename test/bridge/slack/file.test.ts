import { describe, expect, test } from 'vitest';

import { decideFile, type FileFacts } from '../../../src/bridge/slack/file.ts';
import { parseListedMessage } from '../../../src/bridge/slack/chat-event.ts';
import { fileLine } from '../../../src/bridge/text/from-chat.ts';

const hosted: FileFacts = {
  name: 'log.txt',
  mimetype: 'text/plain',
  mode: 'hosted',
  access: 'visible',
  asked: false,
};

describe('B18 a file of chat', () => {
  test.each<[string, Partial<FileFacts>, string]>([
    ['is shown as it is', {}, 'shown'],
    ['is shown in a mode of tomorrow', { mode: 'hologram', access: 'somehow' }, 'shown'],
    ['kept elsewhere is said to be', { mode: 'external', mimetype: '' }, 'outside'],
    ['that was deleted keeps its name', { mode: 'tombstone', name: '', mimetype: '' }, 'deleted'],
    ['that is not found keeps its name', { access: 'file_not_found' }, 'deleted'],
    ['over the limit of its workspace keeps its name', { mode: 'hidden_by_limit' }, 'hidden'],
    ['that this app may not see keeps its name', { access: 'access_denied' }, 'unseen'],
    ['of another organisation is asked for', { access: 'check_file_info', mode: 'file_access' }, 'ask'],
    ['that is not processed yet is asked for', { mimetype: '' }, 'ask'],
    ['without a name is asked for', { name: '' }, 'ask'],
    ['is asked for once: not seen', { access: 'check_file_info', asked: true }, 'unseen'],
    ['is asked for once: of no kind', { mimetype: '', asked: true }, 'shown'],
  ])('%s', (_, more, state) => {
    expect(decideFile({ ...hosted, ...more })).toBe(state);
  });

  const file = {
    name: 'log.txt',
    mimetype: 'text/plain',
    bytes: 2048,
    permalink: 'https://acme.slack.com/files/U1/F1/log.txt',
  };
  const link = '[log.txt](<https://acme.slack.com/files/U1/F1/log.txt>)';
  test.each<[string, Parameters<typeof fileLine>, string]>([
    ['name, type and size', [file, 'shown'], `${link} (text/plain, 2 kB)`],
    ['a large size', [{ ...file, bytes: 3_355_443 }, 'shown'], `${link} (text/plain, 3.2 MB)`],
    ['nothing of what is not known', [{ ...file, bytes: 0, mimetype: '' }, 'shown'], link],
    ['where it is kept', [{ ...file, bytes: 0 }, 'outside'], `${link} (text/plain, kept outside of chat)`],
    ['that it was deleted', [{ ...file, name: '' }, 'deleted'], 'a file (deleted in chat)'],
    ['that chat hides it', [file, 'hidden'], 'log.txt (hidden by chat, whose storage is full)'],
    ['that it cannot be seen', [file, 'unseen'], 'log.txt (chat does not show it to this app)'],
    [
      'a name that is no syntax, and no address that runs',
      [{ ...file, name: '![x](javascript:y)\n# <b>', permalink: 'javascript:z', bytes: 1 }, 'shown'],
      String.raw`\!\[x\](javascript:y) # \<b\> (text/plain, 1 kB)`,
    ],
  ])('B18 says %s in one line', (_, [given, state], line) => {
    expect(fileLine(given, state)).toBe(line);
  });

  test('B18 of a file only the page behind chat’s login is known, never an address of its bytes', () => {
    const message = parseListedMessage('T1', 'C1', {
      ts: '1.1',
      files: [
        { id: 'F1', name: 'a.png', url_private: 'https://files.slack.com/files-pri/T1-F1/a.png?t=xoxe-1' },
        { id: 'F2', mode: 'tombstone' },
        { id: 7, size: 'large', name: null },
      ],
    });
    expect(message?.files.map(({ id, name, mode }) => [id, name, mode])).toEqual([
      ['F1', 'a.png', undefined],
      ['F2', '', 'tombstone'],
      ['', '', undefined],
    ]);
    expect(JSON.stringify(message)).not.toContain('files-pri');
  });
});
