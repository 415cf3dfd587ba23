// What the sandbox's server answers (src/sandbox/control), and what apps put into messages and views, which the server
// has checked (src/sandbox/blocks): as far as the page reads it.

export interface Channel {
  id: string;
  name: string;
  kind: 'channel' | 'group' | 'im' | 'mpim';
  members: string[];
  is_archived: boolean;
  connected_teams: string[];
  topic: string;
}

export interface Person {
  id: string;
  name: string;
  real_name: string;
  display_name: string;
  is_bot: boolean;
  deleted: boolean;
  /** The workspace of a person of another organisation. */
  team_id?: string;
  time_zone: string;
  picture: string;
}

export interface App {
  id: string;
  name: string;
  botUserId: string;
  botId: string;
  connections: number;
}

/** The data that the page loads once, and again when the workspace changes. */
export interface State {
  team: { name: string };
  channels: Channel[];
  users: Person[];
  groups: { id: string; handle: string; name: string; users: string[] }[];
  /** A picture's URL, or `alias:` and another name, by name. */
  emoji: Record<string, string>;
  apps: App[];
  commands: { command: string; hint?: string }[];
  shortcuts: { on: 'global' | 'message'; callbackId: string; name: string }[];
  /** The root views of the open modals. */
  modals: string[];
}

export interface Message {
  channel: string;
  ts: string;
  thread_ts?: string;
  /** Absent on a post under a name of its own. */
  user?: string;
  username?: string;
  icons?: { image_48?: string; emoji?: string };
  bot_id?: string;
  subtype?: string;
  text: string;
  blocks: Block[];
  attachments?: Attachment[];
  files?: MessageFile[];
  reactions: { name: string; users: string[] }[];
  edited?: { user: string; ts: string };
  reply_count: number;
  reply_users: string[];
  latest_reply?: string;
  /** The one person who sees it. */
  ephemeralFor?: string;
}

export interface Attachment {
  pretext?: string;
  author_name?: string;
  title?: string;
  title_link?: string;
  blocks?: Block[];
  text?: string;
  fallback?: string;
  footer?: string;
}

/** A deleted file has its id and mode alone. */
export interface MessageFile {
  id: string;
  mode?: string;
  name?: string;
  title?: string;
  mimetype?: string;
  filetype?: string;
  pretty_type?: string;
  size?: number;
  is_external?: boolean;
  url_private?: string;
  alt_txt?: string;
}

/** A file that was uploaded for a form. */
export interface UploadedFile {
  id: string;
  name: string;
}

/** A change in a channel, as in the server's stream (`/_live`). */
export interface Change {
  channel: string;
  change: string;
  messages: Message[];
  /** The timestamps of deleted messages. */
  gone: string[];
}

export interface TextObject {
  type?: string;
  text?: string;
}

export interface Option {
  value: string;
  text?: TextObject;
  description?: TextObject;
  url?: string;
}

export interface OptionGroup {
  label?: TextObject;
  options: Option[];
}

export interface Image {
  image_url?: string | undefined;
  alt_text?: string | undefined;
  slack_file?: { id?: string; url?: string };
}

export interface RichElement {
  type: string;
  /** `ordered` of a list, else of a piece of text. */
  style?: string | { bold?: boolean; italic?: boolean; strike?: boolean; code?: boolean };
  elements?: RichElement[];
  indent?: number;
  offset?: number;
  text?: string;
  url?: string;
  user_id?: string;
  usergroup_id?: string;
  channel_id?: string;
  range?: string;
  unicode?: string;
  name?: string;
  timestamp?: number;
  format?: string;
  fallback?: string;
  value?: string;
}

interface Placed {
  block_id?: string;
}

export interface RichTextBlock extends Placed {
  type: 'rich_text';
  elements?: RichElement[];
}

export interface CardBlock extends Placed {
  type: 'card';
  hero_image?: Image;
  title?: TextObject;
  subtitle?: TextObject;
  body?: TextObject;
  actions?: BlockElement[];
}

export interface ContainerBlock extends Placed {
  type: 'container';
  title?: TextObject;
  rich_text_title?: RichTextBlock;
  subtitle?: TextObject;
  is_collapsible?: boolean;
  default_collapsed?: boolean;
  child_blocks?: Block[];
}

export interface TaskBlock extends Placed {
  type: 'task_card';
  title?: string;
  status?: string;
  details?: RichTextBlock;
  output?: RichTextBlock;
}

export interface SectionBlock extends Placed {
  type: 'section';
  text?: TextObject;
  fields?: TextObject[];
  accessory?: BlockElement;
}

export interface ActionsBlock extends Placed {
  type: 'actions' | 'context_actions';
  elements?: BlockElement[];
}

export interface InputBlock extends Placed {
  type: 'input';
  label?: TextObject;
  hint?: TextObject;
  element: BlockElement;
  optional?: boolean;
  dispatch_action?: boolean;
}

export interface VideoBlock extends Placed {
  type: 'video';
  title?: TextObject;
  title_url?: string;
  video_url?: string;
  thumbnail_url?: string;
  alt_text?: string;
  author_name?: string;
  description?: TextObject;
}

export type TableCell = RichTextBlock | { type: 'raw_text' | 'raw_number'; text?: string; value?: number };

export interface TableBlock extends Placed {
  type: 'table' | 'data_table';
  rows?: TableCell[][];
  column_settings?: ({ align?: string; is_wrapped?: boolean } | null)[];
  row_header_column_index?: number;
  caption?: string;
}

/** A block of another kind is shown as JSON. */
export type Block =
  | RichTextBlock
  | CardBlock
  | ContainerBlock
  | TaskBlock
  | SectionBlock
  | ActionsBlock
  | InputBlock
  | VideoBlock
  | TableBlock
  | (Placed & { type: 'markdown'; text?: string })
  | (Placed & { type: 'header'; text?: TextObject })
  | (Placed & { type: 'divider' })
  | (Placed & { type: 'context'; elements?: ((Image & { type: 'image' }) | ContextText)[] })
  | (Placed & Image & { type: 'image'; title?: TextObject })
  | (Placed & { type: 'alert'; text?: TextObject; level?: string })
  | (Placed & { type: 'carousel'; elements?: CardBlock[] })
  | (Placed & { type: 'plan'; title?: string; tasks?: TaskBlock[] });

interface ContextText {
  type: 'plain_text' | 'mrkdwn';
  text?: string;
}

/** An interactive element, of whichever kind: what each has of these is in Slack's reference of Block Kit. */
export interface BlockElement extends Image {
  type: string;
  action_id?: string;
  text?: TextObject;
  /** Of a button. */
  value?: string;
  url?: string;
  style?: string;
  icon?: string;
  accessibility_label?: string;
  placeholder?: TextObject;
  confirm?: {
    title?: TextObject;
    text?: TextObject;
    confirm?: TextObject;
    deny?: TextObject;
    style?: string;
  };
  positive_button?: FeedbackButton;
  negative_button?: FeedbackButton;
  options?: Option[];
  option_groups?: OptionGroup[];
  max_selected_items?: number;
  min_query_length?: number;
  filter?: { include?: string[]; exclude_bot_users?: boolean };
  multiline?: boolean;
  dispatch_action_config?: { trigger_actions_on?: string[] };
  is_decimal_allowed?: boolean;
  focus_on_load?: boolean;
  max_files?: number;
  filetypes?: string[];
  initial_option?: Option;
  initial_options?: Option[];
  initial_user?: string;
  initial_users?: string[];
  initial_conversation?: string;
  initial_conversations?: string[];
  initial_channel?: string;
  initial_channels?: string[];
  initial_date?: string;
  initial_time?: string;
  initial_date_time?: number;
  initial_value?: string | RichTextBlock;
}

export interface FeedbackButton {
  text?: TextObject;
  value: string;
  accessibility_label?: string;
}

/** The value of a view's element, as in `state.values`. */
export interface ElementState {
  value?: string | null;
  selected_option?: Option | null;
  selected_options?: Option[];
  selected_user?: string | null;
  selected_users?: string[];
  selected_conversation?: string | null;
  selected_conversations?: string[];
  selected_channel?: string | null;
  selected_channels?: string[];
  selected_date?: string | null;
  selected_time?: string | null;
  selected_date_time?: number | null;
  rich_text_value?: RichTextBlock | null;
  files?: UploadedFile[];
}

/** The value of an element: text, an option's value, an id, a date, a time, Unix seconds, or a list of them. */
export type Value = string | number | readonly (string | UploadedFile)[] | RichTextBlock | null;

/** Values by block id and action id. */
export type Values = Record<string, Record<string, Value>>;

export interface View {
  id: string;
  root_view_id: string;
  app_id: string;
  type: 'modal' | 'home';
  title: TextObject;
  submit: TextObject | null;
  close: TextObject | null;
  blocks: Block[];
  hash: string;
  state: { values: Record<string, Record<string, ElementState>> };
  /** Below fields, by block id. */
  errors: Record<string, string>;
  /** Over a modal whose app did not answer. */
  notice?: string;
}

/** The open views of a user: those of a modal, bottom first, and the app's Home. */
export interface ShownViews {
  stack: View[];
  home: View | null;
}

/** How an app answered; `error` if none did, or its answer could not be used. */
export interface Outcome {
  error?: string;
}

export interface Submitted {
  result: string;
  error?: string;
  messages?: string[];
  views: ShownViews;
}

export interface Suggested {
  error?: string;
  messages?: string[];
  options?: Option[];
  option_groups?: OptionGroup[];
}

/** One call of the app. */
export interface Call {
  id: number;
  at: string;
  method: string;
  args: Record<string, unknown>;
  ok: boolean;
  error?: string;
  answer?: unknown;
  ms: number;
  fault?: string;
}

/** One envelope to the app, with every attempt to deliver it. */
export interface Delivery {
  id: number;
  delivery: number;
  type: string;
  event?: string;
  event_id?: string;
  state: 'waiting' | 'acked' | 'dropped';
  attempts: { at: string }[];
  ack_ms?: number;
  ack_payload?: unknown;
  reason?: string;
  faults: string[];
}

/** An active fault, and how often it was applied. */
export interface Fault {
  kind: string;
  hits: number;
  times?: number | null;
  probability: number;
  seconds?: number;
}

export interface ChaosState {
  seed: number;
  intensity: number;
  drops: boolean;
  /** How often each kind of fault was applied. */
  did: Record<string, number>;
}

export interface Faults {
  faults: (Fault & { method: string })[];
  events: (Fault & { event: string })[];
  chaos: ChaosState | null;
  /** Envelopes that a fault holds back. */
  held: number;
}

export interface ClockState {
  now: string;
  speed: number;
  /** Seconds before the machine's clock. */
  ahead: number;
}
