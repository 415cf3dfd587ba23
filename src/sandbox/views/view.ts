import type { Block, JsonObject } from '../workspace/content.ts';

/** `state.values`: by block id and action id, what an element holds. */
export type StateValues = Record<string, Record<string, JsonObject>>;

/** docs.slack.dev/reference/block-kit/composition-objects/text-object */
export type PlainText = { type: 'plain_text'; text: string; emoji?: boolean };

/** What an app sends as a view, checked (`blocks/check-view.ts`); docs.slack.dev/reference/views. */
export interface ViewDefinition {
  type: 'modal' | 'home';
  title?: PlainText | undefined;
  submit?: PlainText | undefined;
  close?: PlainText | undefined;
  blocks: Block[];
  private_metadata?: string | undefined;
  callback_id?: string | undefined;
  external_id?: string | undefined;
  clear_on_close?: boolean | undefined;
  notify_on_close?: boolean | undefined;
}

/** A view as payloads and answers have it, every field present. */
export type ApiView = {
  id: string;
  team_id: string;
  type: 'modal' | 'home';
  blocks: Block[];
  private_metadata: string;
  callback_id: string;
  state: { values: StateValues };
  hash: string;
  title: PlainText;
  clear_on_close: boolean;
  notify_on_close: boolean;
  close: PlainText | null;
  submit: PlainText | null;
  previous_view_id: string | null;
  root_view_id: string;
  app_id: string;
  external_id: string;
  app_installed_team_id: string;
  bot_id: string;
};
