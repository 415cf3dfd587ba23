import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type Mentioned, newFollowers } from '../../../src/bridge/threads/rules.ts';
import { mayOpen } from '../../../src/bridge/tickets/rules.ts';

describe('who may open a ticket', () => {
  const member = { is_guest: false };
  const guest = { is_guest: true };
  const queue = (allowGuestUsers: boolean) => ({ settings: { allowGuestUsers } });

  test.each([
    ['a member where guests may', member, queue(true), true],
    ['a member where guests may not', member, queue(false), true],
    ['a member in a queue that cannot be read', member, undefined, true],
    ['a guest where guests may', guest, queue(true), true],
    ['a guest where guests may not', guest, queue(false), false],
    ['a guest in a queue without settings', guest, { settings: null }, true],
    ['a guest in a queue that cannot be read', guest, undefined, true],
  ])('B9 %s', (_, asker, of, expected) => {
    expect(mayOpen(asker, of)).toBe(expected);
  });
});

describe('who becomes a follower by a mention', () => {
  const ben: Mentioned = { user_id: 'ben', is_bot: false, is_deleted: false };
  const cleo: Mentioned = { ...ben, user_id: 'cleo' };
  const ticket = { private: false, requesterId: 'ada', assigneeId: 'mira', followers: [{ id: 'sam' }] };

  test.each<[string, Mentioned[], Partial<typeof ticket>, boolean, string[]]>([
    ['a new user', [ben], {}, false, ['ben']],
    ['several, in the order of their names in the text', [cleo, ben], {}, false, ['cleo', 'ben']],
    ['two accounts of one user, once', [ben, { ...ben }], {}, false, ['ben']],
    ['nobody: silentMode posts nothing but the conversation', [ben], {}, true, []],
    ['nobody on a private ticket, since following gives access', [ben], { private: true }, false, []],
    ['nobody: private and silent', [ben], { private: true }, true, []],
    ['not the requester', [{ ...ben, user_id: 'ada' }, ben], {}, false, ['ben']],
    ['not the assignee', [{ ...ben, user_id: 'mira' }], {}, false, []],
    ['not a follower again', [{ ...ben, user_id: 'sam' }, ben], {}, false, ['ben']],
    ['no bot', [{ ...ben, is_bot: true }, cleo], {}, false, ['cleo']],
    ['no user who left', [{ ...ben, is_deleted: true }], {}, false, []],
    ['nobody without a user at the service', [{ ...ben, user_id: null }], {}, false, []],
    ['nobody without a mention', [], {}, false, []],
  ])('B23 %s', (_, mentioned, about, silentMode, expected) => {
    expect(newFollowers(mentioned, { ...ticket, ...about }, silentMode)).toEqual(expected);
  });

  test('B23 nobody is added to a private or silent ticket, nobody twice, and nobody who is notified anyway', () => {
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
          // A second mention adds nobody.
          const followers = [...on.followers, ...added.map((one) => ({ id: one }))];
          expect(newFollowers(mentioned, { ...on, followers }, silentMode)).toEqual([]);
        },
      ),
    );
  });
});
