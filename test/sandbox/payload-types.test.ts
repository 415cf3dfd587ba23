import type {
  BlockAction,
  BlockSuggestion,
  ButtonAction,
  ViewClosedAction,
  ViewOutput,
  ViewSubmitAction,
} from '@slack/bolt';
import type { AppHomeOpenedEvent as SdkAppHomeOpened } from '@slack/web-api';
import { expectTypeOf, test } from 'vitest';

import type {
  ActionSaid,
  AppHomeOpenedEvent,
  BlockActionsPayload,
  BlockSuggestionPayload,
  ViewClosedPayload,
  ViewSubmissionPayload,
} from '../../src/sandbox/interactions/payloads.ts';
import type { ApiView } from '../../src/sandbox/views/view.ts';

/**
 * Slack sends `enterprise: null` where the SDK's types leave it out; blocks and states are compared by
 * running tests.
 */
type Own<Payload> = Omit<Payload, 'view' | 'enterprise' | 'message' | 'actions' | 'state' | 'container'>;

test('views have exactly the fields of the SDK’s type', () => {
  expectTypeOf<Omit<ApiView, 'blocks' | 'state'>>().toExtend<Omit<ViewOutput, 'blocks' | 'state'>>();
  expectTypeOf<keyof ApiView>().toExtend<keyof ViewOutput>();
});

test('view payloads have exactly the fields of the SDK’s listener types', () => {
  expectTypeOf<Own<ViewSubmissionPayload>>().toExtend<Own<ViewSubmitAction>>();
  expectTypeOf<Own<ViewClosedPayload>>().toExtend<Own<ViewClosedAction>>();
  expectTypeOf<Own<BlockSuggestionPayload>>().toExtend<
    Pick<BlockSuggestion, 'action_id' | 'block_id' | 'value'>
  >();
  expectTypeOf<BlockSuggestionPayload['team']>().toExtend<BlockSuggestion['team']>();
  expectTypeOf<BlockSuggestionPayload['user']>().toExtend<BlockSuggestion['user']>();
});

test('action payloads have exactly the fields of the SDK’s listener types', () => {
  type InMessage = Extract<BlockActionsPayload, { response_url: string }>;
  expectTypeOf<Own<InMessage>>().toExtend<Own<BlockAction>>();
  expectTypeOf<Pick<ActionSaid, 'type' | 'action_id' | 'block_id'>>().toExtend<
    Omit<Pick<ButtonAction, 'type' | 'action_id' | 'block_id'>, 'type'> & { type: string }
  >();
});

test('app_home_opened has exactly the fields of the SDK’s event type', () => {
  expectTypeOf<Omit<AppHomeOpenedEvent, 'view'>>().toExtend<Omit<SdkAppHomeOpened, 'view'>>();
});
