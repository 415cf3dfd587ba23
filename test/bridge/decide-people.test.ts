import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type Mentioned, newFollowers } from '../../src/bridge/threads/follower-rules.ts';
import { codeFrom, codeIn, lineWithCode, type Proof } from '../../src/bridge/people/link-code-rules.ts';
import { mayOpen } from '../../src/bridge/tickets/may-open-rules.ts';

describe('who may open a ticket', () => {
  const member = { is_guest: false };
  const guest = { is_guest: true };
  const queue = (allowGuestUsers: boolean) => ({ settings: { allowGuestUsers } });

  test.each([
    ['a member where guests may', member, queue(true), true],
    ['a member where guests may not', member, queue(false), true],
    ['a member of a queue that cannot be read', member, undefined, true],
    ['a guest where guests may', guest, queue(true), true],
    ['a guest where guests may not', guest, queue(false), false],
    ['a guest of a queue without settings', guest, { settings: null }, true],
    ['a guest of a queue that cannot be read', guest, undefined, true],
  ])('B9 %s', (_, asker, of, expected) => {
    expect(mayOpen(asker, of)).toBe(expected);
  });
});

describe('whom a mention makes a follower', () => {
  const ben: Mentioned = { user_id: 'ben', is_bot: false, is_deleted: false };
  const cleo: Mentioned = { ...ben, user_id: 'cleo' };
  const ticket = { private: false, requesterId: 'ada', assigneeId: 'mira', followers: [{ id: 'sam' }] };

  test.each<[string, Mentioned[], Partial<typeof ticket>, boolean, string[]]>([
    ['somebody new', [ben], {}, false, ['ben']],
    ['several, in the order of their names in the text', [cleo, ben], {}, false, ['cleo', 'ben']],
    ['two accounts of one user, once', [ben, { ...ben }], {}, false, ['ben']],
    ['nobody: silentMode posts nothing but the conversation', [ben], {}, true, []],
    ['nobody of a private ticket, for following shows it', [ben], { private: true }, false, []],
    ['nobody: private and silent', [ben], { private: true }, true, []],
    ['not the requester', [{ ...ben, user_id: 'ada' }, ben], {}, false, ['ben']],
    ['not the assignee', [{ ...ben, user_id: 'mira' }], {}, false, []],
    ['not who follows already', [{ ...ben, user_id: 'sam' }, ben], {}, false, ['ben']],
    ['no bot', [{ ...ben, is_bot: true }, cleo], {}, false, ['cleo']],
    ['nobody who left', [{ ...ben, is_deleted: true }], {}, false, []],
    ['nobody without a user at the service', [{ ...ben, user_id: null }], {}, false, []],
    ['nobody, of no mention', [], {}, false, []],
  ])('B23 %s', (_, mentioned, about, silentMode, expected) => {
    expect(newFollowers(mentioned, { ...ticket, ...about }, silentMode)).toEqual(expected);
  });

  test('B23 whoever is mentioned: nobody is added to a private or silent ticket, nobody twice, nobody who hears of it', () => {
    const id = fc.constantFrom('ada', 'ben', 'cleo', 'mira', 'sam');
    const orNobody = fc.option(id);
    fc.assert(
      fc.property(
        fc.array(fc.record({ user_id: orNobody, is_bot: fc.boolean(), is_deleted: fc.boolean() })),
        fc.record({
          private: fc.boolean(),
          requesterId: orNobody,
          assigneeId: orNobody,
          followers: fc.array(fc.record({ id })),
        }),
        fc.boolean(),
        (mentioned, on, silentMode) => {
          const added = newFollowers(mentioned, on, silentMode);
          const hearing = [on.requesterId, on.assigneeId, ...on.followers.map((one) => one.id)];
          expect(new Set(added).size).toBe(added.length);
          for (const one of added) {
            expect(hearing).not.toContain(one);
            expect(mentioned).toContainEqual({ user_id: one, is_bot: false, is_deleted: false });
          }
          if (on.private || silentMode) expect(added).toEqual([]);
          // Said again, nothing is left to do.
          const followers = [...on.followers, ...added.map((one) => ({ id: one }))];
          expect(newFollowers(mentioned, { ...on, followers }, silentMode)).toEqual([]);
        },
      ),
    );
  });
});

describe('what proves that a chat account is somebody’s', () => {
  const CODE = 'K7QM-2XWD-9HTP-4VRC';
  const note: Proof = {
    content: lineWithCode(CODE),
    private: true,
    deleted: false,
    status: 'CREATED',
    createdAt: '2026-01-01T10:00:00.000Z',
    updatedAt: '2026-01-01T10:00:00.012Z',
    source: 'WEB',
    authorId: 'mira',
    chatChannelId: null,
    chatMessages: [],
    emailMessageId: null,
  };

  test.each<[string, Partial<Proof>]>([
    ['a note that was written at the desk', {}],
    ['a note that a program wrote for somebody who signed in', { source: 'API' }],
    ['a note of a service without such marks', { status: null, emailMessageId: null }],
    ['the line as code', { content: `\`link-me ${CODE}\`` }],
    ['the line as a block of code, with blanks around it', { content: ` \`\`\`\nlink-me ${CODE}\n\`\`\`\n` }],
  ])('B10 %s does', (_, difference) => {
    expect(codeIn({ ...note, ...difference })).toBe(CODE);
  });

  test.each<[string, Partial<Proof>]>([
    ['a message that the requester reads', { private: false }],
    ['a note that was deleted', { deleted: true }],
    ['a note that somebody edited, for that need not be its author', { status: 'EDITED' }],
    ['a note of a service that does not say so, changed later', { updatedAt: '2026-01-01T10:04:00.000Z' }],
    ['a note of a time that cannot be read', { updatedAt: 'today' }],
    ['a note of nobody', { authorId: null }],
    ['a message of chat', { source: 'CHAT' }],
    ['an e-mail', { source: 'EMAIL' }],
    ['an e-mail of a program that does not say so', { source: 'API', emailMessageId: '<1@acme.example>' }],
    ['a form', { source: 'FORM' }],
    ['an automated agent', { source: 'AGENT' }],
    ['a note without a way in', { source: null }],
    ['a note that stands in a channel of chat', { chatChannelId: 'C1' }],
    ['a note with a copy in chat', { chatMessages: [{ channelId: 'C1', ts: '1.1' }] }],
    ['a code within other words', { content: `Please write link-me ${CODE}` }],
    ['a quoted line', { content: `> link-me ${CODE}` }],
    ['two lines', { content: `link-me ${CODE}\nlink-me ${CODE}` }],
    ['words beside the block of code', { content: `\`\`\`link-me ${CODE}\`\`\` see above` }],
    ['a code alone', { content: CODE }],
    ['a code that is too short', { content: `link-me ${CODE.slice(0, -5)}` }],
    ['a code that is too long', { content: `link-me ${CODE}-AAAA` }],
    ['small letters', { content: `link-me ${CODE.toLowerCase()}` }],
  ])('B10 %s does not', (_, difference) => {
    expect(codeIn({ ...note, ...difference })).toBeUndefined();
  });

  test('B10 whatever random bytes make a code, the note with its line is understood, and no other bytes make it', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, (some, others) => {
        const code = codeFrom(some);
        expect(codeIn({ ...note, content: lineWithCode(code) })).toBe(code);
        // 5 bits of each of 16 bytes.
        const told = (from: Uint8Array) => [...from.slice(0, 16)].map((byte) => byte % 32).join(' ');
        expect(codeFrom(others) === code).toBe(told(others) === told(some));
      }),
    );
  });
});
