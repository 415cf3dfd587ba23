import { api } from './api.js';

/**
 * What the page knows, and who wants to hear when it changes. The server is the truth: a change arrives with the
 * message as it now is.
 */
class Store extends EventTarget {
  team = { name: '' };
  channels = [];
  people = [];
  apps = [];
  commands = [];
  shortcuts = [];
  me = '';
  current = '';
  /** Root ts of the open thread. */
  thread = undefined;
  messages = new Map();
  unread = new Set();
  connected = false;
  #stream;
  /** Changes that arrived during each load that is still on its way. */
  #loading = new Set();

  async start() {
    await this.#loadState();
    const people = this.humans();
    const wanted = localStorage.getItem('sandbox-me');
    this.me = people.some(({ id }) => id === wanted) ? wanted : (people[0]?.id ?? '');
    this.current = (this.channelByHash() ?? this.#firstChannel())?.id ?? '';
    await this.open(this.current);
    this.#listen();
  }

  humans() {
    return this.people.filter(({ is_bot }) => !is_bot);
  }
  person(id) {
    return this.people.find((person) => person.id === id);
  }
  channel(id) {
    return this.channels.find((channel) => channel.id === id);
  }
  appOf(userId) {
    return this.apps.find(({ botUserId }) => botUserId === userId);
  }
  /** Channels the acting person sees: their own, and public ones they could join. */
  visible() {
    return this.channels.filter(
      ({ kind, members }) => kind === 'channel' || (kind === 'group' && members.includes(this.me)),
    );
  }
  mine() {
    return this.visible().filter(({ members }) => members.includes(this.me));
  }
  direct() {
    return this.channels.filter(
      ({ kind, members }) => (kind === 'im' || kind === 'mpim') && members.includes(this.me),
    );
  }
  /** Where something happens when one writes: a channel with an app in it. */
  #firstChannel() {
    const mine = this.mine();
    return (
      mine.find(({ members }) => this.apps.some(({ botUserId }) => members.includes(botUserId))) ?? mine[0]
    );
  }
  channelByHash() {
    const name = decodeURIComponent(location.hash.slice(1));
    return this.visible().find((channel) => channel.name === name);
  }
  titleOf(channel) {
    if (channel.kind !== 'im' && channel.kind !== 'mpim') return `#${channel.name}`;
    const others = channel.members.filter((id) => id !== this.me).map((id) => this.person(id)?.name ?? id);
    return others.join(', ') || 'you';
  }

  sorted() {
    return [...this.messages.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1));
  }

  async open(id) {
    this.current = id;
    this.thread = undefined;
    this.unread.delete(id);
    const channel = this.channel(id);
    if (channel?.name) history.replaceState(null, '', `#${channel.name}`);
    await this.reload();
  }

  async reload() {
    const id = this.current;
    // What the stream tells while the answer is on its way may be newer than the answer.
    const meanwhile = [];
    this.#loading.add(meanwhile);
    try {
      const messages = id ? await api.messages(id, this.me) : [];
      if (id !== this.current) return;
      this.messages = new Map(messages.map((message) => [message.ts, message]));
      for (const change of meanwhile) if (change.channel === id) this.#change(change);
    } finally {
      this.#loading.delete(meanwhile);
    }
    this.changed();
  }

  async actAs(id) {
    this.me = id;
    localStorage.setItem('sandbox-me', id);
    this.unread.clear();
    this.#listen();
    const channel = this.channel(this.current);
    const sees = channel && (channel.kind === 'channel' || channel.members.includes(id));
    await this.open(sees ? this.current : (this.#firstChannel()?.id ?? ''));
  }

  openThread(ts) {
    this.thread = ts;
    this.changed();
  }

  changed() {
    this.dispatchEvent(new Event('change'));
  }

  async #loadState() {
    const { team, channels, users, apps, commands, shortcuts } = await api.state();
    Object.assign(this, { team, channels, people: users, apps, commands, shortcuts });
  }

  #listen() {
    this.#stream?.close();
    const stream = new EventSource(`/_live?as=${encodeURIComponent(this.me)}`);
    this.#stream = stream;
    stream.addEventListener('open', () => this.#setConnected(true));
    stream.addEventListener('error', () => this.#setConnected(false));
    stream.addEventListener('message', (event) => this.#apply(JSON.parse(event.data)));
    stream.addEventListener('channel', () => this.refresh());
    stream.addEventListener('connection', () => this.refresh());
  }

  #setConnected(connected) {
    const back = connected && !this.connected;
    this.connected = connected;
    // What happened while the stream was down is read again.
    if (back) this.refresh();
    else this.changed();
  }

  async refresh() {
    await this.#loadState();
    await this.reload();
  }

  #apply({ channel, messages, gone, change }) {
    if (channel !== this.current) {
      const known = this.channel(channel);
      const others = messages.some(({ user }) => user !== this.me);
      if (!known) this.refresh();
      else if (change === 'posted' && others && known.members.includes(this.me)) this.unread.add(channel);
      this.changed();
      return;
    }
    for (const meanwhile of this.#loading) meanwhile.push({ channel, messages, gone });
    this.#change({ messages, gone });
    if (this.thread && gone.includes(this.thread)) this.thread = undefined;
    this.changed();
  }

  #change({ messages, gone }) {
    for (const message of messages) this.messages.set(message.ts, message);
    for (const ts of gone) this.messages.delete(ts);
  }
}

export const store = new Store();
