import { withIds } from '../blocks/layout.ts';
import { parseRichText } from '../rich-text/parse.ts';
import {
  parseAttachments,
  parseAutomatically,
  parseBlocks,
  PARSING,
  type Parsing,
} from '../rich-text/automatic.ts';
import type { Block, JsonObject, MessageContent, Metadata } from './content.ts';
import type { App, Directory, Person } from './directory.ts';
import { botIcons } from './people.ts';
import type { IdMaker } from './ids.ts';
import { readingOf } from './reading.ts';
import type { Workspace } from './workspace.ts';

/** What an app says: the fields of chat.postMessage that make the message (already checked). */
export interface AppSays {
  text: string;
  blocks?: Block[] | undefined;
  attachments?: JsonObject[] | undefined;
  metadata?: Metadata | undefined;
  username?: string | undefined;
  iconUrl?: string | undefined;
  iconEmoji?: string | undefined;
  /** false: the text is taken as it is, without formatting. */
  mrkdwn?: boolean;
  /** By default as in a new post. */
  parsing?: Parsing;
}

export interface Written {
  content: MessageContent;
  autoBlocks: boolean;
}

/** A person's message: the text they typed, read as the composer reads it. */
export function writtenByPerson(directory: Directory, ids: IdMaker, person: Person, typed: string): Written {
  const { text, block } = parseRichText(typed, readingOf(directory, true), ids.blockId());
  return {
    autoBlocks: true,
    content: {
      user: person.id,
      type: 'message',
      client_msg_id: ids.uuid(),
      text,
      team: person.teamId ?? directory.team.id,
      ...(block ? { blocks: [block] } : {}),
    },
  };
}

/**
 * An app's post. With a name or a picture of its own it is a `bot_message` without `user`; without, it comes from
 * the bot user (see slack-facts.md, "Posts of an app").
 */
export function writtenByApp(workspace: Workspace, app: App, given: AppSays): Written {
  const { directory, ids } = workspace;
  const says = withFound(directory, given);
  const customised =
    says.username !== undefined || says.iconUrl !== undefined || says.iconEmoji !== undefined;
  const icons: JsonObject | undefined =
    says.iconEmoji !== undefined
      ? { emoji: says.iconEmoji }
      : says.iconUrl !== undefined
        ? { image_36: says.iconUrl, image_48: says.iconUrl, image_72: says.iconUrl }
        : undefined;
  const author: Partial<MessageContent> = customised
    ? { subtype: 'bot_message', username: says.username ?? app.name, ...(icons ? { icons } : {}) }
    : { user: app.botUserId, team: directory.team.id, bot_profile: botProfile(workspace, app) };
  const { autoBlocks, part } = blocksOf(directory, ids, says);
  return {
    autoBlocks,
    content: {
      type: 'message',
      ...author,
      bot_id: app.botId,
      app_id: app.id,
      text: says.text,
      ...part,
      ...(says.attachments && says.attachments.length > 0 ? { attachments: says.attachments } : {}),
      ...(says.metadata ? { metadata: says.metadata } : {}),
    },
  };
}

/** What an app says, with what Slack finds in it by itself: links, and the mentions that it looks for. */
export function withFound<Says extends AppSays>(directory: Directory, says: Says): Says {
  const reading = readingOf(directory, false);
  const parsing = says.parsing ?? PARSING['chat.postMessage'];
  const { text, blocks, attachments } = says;
  return {
    ...says,
    text: parseAutomatically(text, parsing, reading),
    ...(blocks ? { blocks: parseBlocks(blocks, reading) } : {}),
    ...(attachments ? { attachments: parseAttachments(attachments, parsing, reading) } : {}),
  };
}

/** The blocks given, each with an id; else one made from the text, as Slack shows it. */
export function blocksOf(
  directory: Directory,
  ids: IdMaker,
  says: Pick<AppSays, 'text' | 'blocks' | 'mrkdwn' | 'parsing'>,
): { autoBlocks: boolean; part: { blocks?: Block[] } } {
  if (says.blocks && says.blocks.length > 0)
    return { autoBlocks: false, part: { blocks: withIds(says.blocks, ids) } };
  if (says.mrkdwn === false || says.text === '') return { autoBlocks: true, part: {} };
  const { parsing } = says;
  const reading = {
    ...readingOf(directory, false),
    plain: parsing?.plain ?? false,
    bareLinks: parsing?.links ?? true,
  };
  const { block } = parseRichText(says.text, reading, ids.blockId());
  return { autoBlocks: true, part: block ? { blocks: [block] } : {} };
}

function botProfile({ directory, baseUrl }: Workspace, app: App): JsonObject {
  return {
    id: app.botId,
    deleted: false,
    name: app.name,
    updated: 0,
    app_id: app.id,
    user_id: app.botUserId,
    icons: botIcons(baseUrl, app.botUserId),
    team_id: directory.team.id,
  };
}
