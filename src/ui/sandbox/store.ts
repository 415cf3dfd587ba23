import { api } from './api.ts';
import { setCustomEmoji } from './emoji.tsx';
import { reads } from './reads.ts';
import { Source } from './source.ts';
import type { App, Change, Channel, Message, Person, State, View } from './types.ts';

/**
 * The state of the page; listeners are notified when it changes. The server is authoritative: a change
 * arrives with the message's new state.
 */
class Store extends Source {
  team: State['team'] = { name: '' };
  channels: Channel[] = [];
  people: Person[] = [];
  groups: State['groups'] = [];
  apps: App[] = [];
  commands: State['commands'] = [];
  shortcuts: State['shortcuts'] = [];
  me = '';
  /**
   * Modals that were open before this page was loaded, by their root view. They belong to another client and
   * end with it.
   */
  #elsewhere = new Set<string>();
  current = '';
  /** Which tab of the direct messages with an app is shown: `messages` or `home`. */
  tab: 'messages' | 'home' = 'messages';
  /** Root ts of the open thread. */
  thread: string | undefined = undefined;
  messages = new Map<string, Message>();
  /** On a narrow screen: whether the list of channels and people covers the channel. */
  isMenuOpen = false;
  /** The number of unread messages by channel, with mentions counted separately. */
  unread = new Map<string, { count: number; mentions: number }>();
  /** Why the page cannot show what happens now. */
  trouble: string | undefined = undefined;
  #stream: EventSource | undefined;
  #isConnected = false;
  #dismissed = new Set<string>();
  /** Changes that arrive during each load in progress. */
  #loading = new Set<Change[]>();
  /** Counts the loads of messages: what was asked for before, for another place or person, is not shown after. */
  #loads = 0;

  async start(): Promise<void> {
    const { modals } = await this.#loadState();
    this.#elsewhere = new Set(modals);
    const people = this.humans();
    const wanted = localStorage.getItem('sandbox-me');
    this.me = (people.find(({ id }) => id === wanted) ?? people[0])?.id ?? '';
    const named = this.channelByHash();
    this.current = (named ?? this.#firstChannel())?.id ?? '';
    const thread = named && this.#hash()[1];
    await this.open(this.current);
    if (thread) this.openThread(thread);
    this.#listen();
  }

  /**
   * Whether a modal's view belongs to this page: in Slack it belongs to the client in which it was opened.
   */
  isOpenHere({ root_view_id }: View): boolean {
    return !this.#elsewhere.has(root_view_id);
  }

  humans(): Person[] {
    return this.people.filter(({ is_bot, deleted }) => !is_bot && !deleted);
  }
  person(id: string): Person | undefined {
    return this.people.find((person) => person.id === id);
  }
  /** The time zone of the acting person: times are drawn in it, wherever the browser is. */
  get zone(): string | undefined {
    return this.person(this.me)?.time_zone;
  }
  nameOf(id: string): string {
    const person = this.person(id);
    return person ? person.display_name || person.real_name || person.name : id;
  }
  pictureOf(id: string): string {
    return this.person(id)?.picture ?? `/avatar/${id}.svg`;
  }
  channel(id: string): Channel | undefined {
    return this.channels.find((channel) => channel.id === id);
  }
  /** The app in these direct messages. */
  appIn(channel: Channel | undefined): App | undefined {
    return channel?.kind === 'im'
      ? this.apps.find((app) => channel.members.includes(app.botUserId))
      : undefined;
  }
  /**
   * Channels that the acting person sees: their own, and public ones that they could join; people of other
   * organisations cannot join.
   */
  visible(): Channel[] {
    const joins = this.person(this.me)?.team_id === undefined;
    return this.channels.filter(
      ({ kind, members, is_archived }) =>
        !is_archived &&
        (kind === 'channel' || kind === 'group') &&
        ((kind === 'channel' && joins) || members.includes(this.me)),
    );
  }
  mine(): Channel[] {
    return this.visible().filter(({ members }) => members.includes(this.me));
  }
  direct(): Channel[] {
    return this.channels.filter(
      ({ kind, members }) => (kind === 'im' || kind === 'mpim') && members.includes(this.me),
    );
  }
  /** The first channel with an app in it, where messages have an effect. */
  #firstChannel(): Channel | undefined {
    const mine = this.mine();
    const hasApp = ({ members }: Channel) => this.apps.some(({ botUserId }) => members.includes(botUserId));
    return mine.find(hasApp) ?? mine[0];
  }
  /**
   * The parts of `#it-help`, or of a thread in it: `#it-help/1700000000.000100`; a channel also by its id.
   */
  #hash(): string[] {
    return decodeURIComponent(location.hash.slice(1)).split('/');
  }
  channelByHash(): Channel | undefined {
    const [name = ''] = this.#hash();
    return this.channels.find(
      (channel) =>
        name !== '' &&
        [channel.name, channel.id].includes(name) &&
        (channel.kind === 'channel' || channel.members.includes(this.me)),
    );
  }
  titleOf(channel: Channel): string {
    if (channel.kind !== 'im' && channel.kind !== 'mpim') return `#${channel.name}`;
    const others = channel.members.filter((id) => id !== this.me).map((id) => this.nameOf(id));
    return others.join(', ') || 'you';
  }

  sorted(): Message[] {
    return [...this.messages.values()]
      .filter(({ ts, ephemeralFor }) => !(ephemeralFor && this.#dismissed.has(ts)))
      .sort((a, b) => (a.ts < b.ts ? -1 : 1));
  }

  async open(id: string): Promise<void> {
    reads.leave(this.me, this.current, this.messages);
    this.current = id;
    this.tab = 'messages';
    this.thread = undefined;
    this.unread.delete(id);
    this.messages = new Map();
    const channel = this.channel(id);
    if (channel?.name) history.replaceState(null, '', `#${channel.name}`);
    reads.enter(this.me, id);
    // The channel is shown at once, so that no button of the previous one can be pressed while the messages
    // load.
    this.changed();
    await this.reload();
  }

  async reload(): Promise<void> {
    const id = this.current;
    const mine = (this.#loads += 1);
    // Events that arrive during the request may be newer than its response.
    const meanwhile: Change[] = [];
    this.#loading.add(meanwhile);
    try {
      const messages = id ? await api.messages(id, this.me) : [];
      if (mine !== this.#loads) return;
      this.messages = new Map(messages.map((message) => [message.ts, message]));
      for (const change of meanwhile) if (change.channel === id) this.#change(change);
    } finally {
      this.#loading.delete(meanwhile);
    }
    this.changed();
  }

  async actAs(id: string): Promise<void> {
    reads.leave(this.me, this.current, this.messages);
    this.me = id;
    localStorage.setItem('sandbox-me', id);
    this.unread.clear();
    this.messages = new Map();
    this.#listen();
    const channel = this.channel(this.current);
    const sees = channel && (channel.kind === 'channel' || channel.members.includes(id));
    this.dispatchEvent(new Event('person'));
    await this.open(sees ? this.current : (this.#firstChannel()?.id ?? ''));
  }

  openThread(ts: string | undefined): void {
    this.thread = ts;
    this.changed();
  }

  /** Takes an ephemeral message off this page, as Slack's client does; no app is notified. */
  dismiss({ ts }: Message): void {
    this.#dismissed.add(ts);
    this.messages.delete(ts);
    this.changed();
  }

  /** Puts the line “New” before this message, and marks the channel in the list. */
  markUnread(ts: string): void {
    reads.mark = (Number(ts) - 0.000001).toFixed(6);
    this.unread.set(this.current, { count: 1, mentions: 0 });
    this.changed();
  }

  show(tab: 'messages' | 'home'): void {
    this.tab = tab;
    this.changed();
  }

  showMenu(isOpen: boolean): void {
    this.isMenuOpen = isOpen;
    this.changed();
  }

  async #loadState(): Promise<State> {
    const state = await api.state();
    this.team = state.team;
    this.channels = state.channels;
    this.people = state.users;
    this.groups = state.groups;
    this.apps = state.apps;
    this.commands = state.commands;
    this.shortcuts = state.shortcuts;
    setCustomEmoji(state.emoji);
    return state;
  }

  #listen(): void {
    this.#stream?.close();
    const stream = new EventSource(`/_live?as=${encodeURIComponent(this.me)}&log=1`);
    this.#stream = stream;
    stream.addEventListener('open', () => this.#comeBack());
    stream.addEventListener('error', () => {
      this.#isConnected = false;
      this.fail('trying again');
    });
    stream.addEventListener('message', (event) => this.#apply(dataOf(event) as Change));
    for (const kind of ['channel', 'connection'])
      stream.addEventListener(kind, () => void this.refresh().catch(() => undefined));
    // For other parts of the page: modals and Home, the inspector.
    stream.addEventListener('log', (event) => {
      if ((dataOf(event) as { kind: string }).kind === 'person') this.refresh().catch(() => undefined);
    });
    for (const kind of ['view', 'log'])
      stream.addEventListener(kind, () => this.dispatchEvent(new Event(kind)));
  }

  /** Says on every screen that the sandbox cannot be reached, and what comes of it. */
  fail(what: string): void {
    this.trouble = `The sandbox cannot be reached: ${what}`;
    this.changed();
  }

  /** Reads what happened while the stream was not connected. */
  #comeBack(): void {
    this.trouble = undefined;
    this.changed();
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.refresh().catch(() => undefined);
    this.dispatchEvent(new Event('back'));
  }

  async refresh(): Promise<void> {
    await this.#loadState();
    const channel = this.channel(this.current);
    // A person who left a private channel no longer sees it, and nobody sees a deleted one.
    if (!channel || (channel.kind !== 'channel' && !channel.members.includes(this.me)))
      await this.open(this.#firstChannel()?.id ?? '');
    else await this.reload();
  }

  #apply(news: Change): void {
    const { channel, messages, gone, change } = news;
    if (channel !== this.current) {
      const known = this.channel(channel);
      // A reply comes with its parent.
      const [newest] = [...messages].sort((a, b) => (a.ts < b.ts ? 1 : -1));
      if (!known) this.refresh().catch(() => undefined);
      else if (change === 'posted' && newest && newest.user !== this.me && known.members.includes(this.me)) {
        const { count, mentions } = this.unread.get(channel) ?? { count: 0, mentions: 0 };
        const named = newest.text.includes(`<@${this.me}`) || known.kind === 'im';
        this.unread.set(channel, { count: count + 1, mentions: mentions + (named ? 1 : 0) });
      }
      this.changed();
      return;
    }
    for (const meanwhile of this.#loading) meanwhile.push(news);
    this.#change(news);
    if (this.thread && gone.includes(this.thread)) this.thread = undefined;
    this.changed();
  }

  #change({ messages, gone }: Change): void {
    for (const message of messages) this.messages.set(message.ts, message);
    for (const ts of gone) this.messages.delete(ts);
  }
}

function dataOf(event: MessageEvent): unknown {
  return JSON.parse(String(event.data));
}

export const store = new Store();
