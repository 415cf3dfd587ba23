import type {
  ChannelArchiveEvent,
  ChannelCreatedEvent,
  ChannelDeletedEvent,
  ChannelLeftEvent,
  ChannelRenameEvent,
  ChannelUnarchiveEvent,
  GroupArchiveEvent,
  GroupDeletedEvent,
  GroupLeftEvent,
  GroupRenameEvent,
  GroupUnarchiveEvent,
  IMCreatedEvent,
  MemberJoinedChannelEvent,
  MemberLeftChannelEvent,
} from '@slack/types';
import { expectTypeOf, test } from 'vitest';

import type {
  channelArchived,
  channelCreated,
  channelDeleted,
  channelLeft,
  channelRenamed,
  channelUnarchived,
  imCreated,
  memberJoined,
  memberLeft,
} from '../../src/sandbox/workspace/channel-events.ts';

test('channel events have every field that the SDK expects', () => {
  expectTypeOf<ReturnType<typeof channelCreated>>().toExtend<ChannelCreatedEvent>();
  expectTypeOf<Omit<ReturnType<typeof channelRenamed>, 'type'>>().toExtend<
    Omit<ChannelRenameEvent, 'type'>
  >();
  expectTypeOf<ReturnType<typeof channelRenamed>['type']>().toEqualTypeOf<
    (ChannelRenameEvent | GroupRenameEvent)['type']
  >();
  expectTypeOf<Omit<ReturnType<typeof channelArchived>, 'type'>>().toExtend<
    Omit<GroupArchiveEvent, 'type'>
  >();
  expectTypeOf<ReturnType<typeof channelArchived>['type']>().toEqualTypeOf<
    (ChannelArchiveEvent | GroupArchiveEvent)['type']
  >();
  expectTypeOf<ReturnType<typeof channelUnarchived>>().toExtend<
    ChannelUnarchiveEvent | GroupUnarchiveEvent
  >();
  expectTypeOf<Omit<ReturnType<typeof channelLeft>, 'type'>>().toExtend<Omit<GroupLeftEvent, 'type'>>();
  expectTypeOf<ReturnType<typeof channelLeft>['type']>().toEqualTypeOf<
    (ChannelLeftEvent | GroupLeftEvent)['type']
  >();
  expectTypeOf<ReturnType<typeof channelDeleted>>().toExtend<ChannelDeletedEvent | GroupDeletedEvent>();
});

test('events of members and direct messages have every field that the SDK expects', () => {
  expectTypeOf<ReturnType<typeof memberJoined>>().toExtend<MemberJoinedChannelEvent>();
  expectTypeOf<ReturnType<typeof memberLeft>>().toExtend<MemberLeftChannelEvent>();
  expectTypeOf<ReturnType<typeof imCreated>>().toExtend<IMCreatedEvent>();
});
