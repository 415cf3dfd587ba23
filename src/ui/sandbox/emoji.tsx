interface EmojiGroup {
  title: string;
  emoji: [sign: string, ...names: string[]][];
}

/** Groups of `[sign, ...names]`, from the server. */
export const GROUPS: EmojiGroup[] = [];
const SIGNS = new Map<string, string>();

/** Suggested first; 🎫, which opens a ticket, comes first of all. */
export const FIRST = [
  'ticket',
  'eyes',
  'white_check_mark',
  '+1',
  'tada',
  'heart',
  'thinking_face',
  'shushing_face',
];

/** Changes when the emoji do: what is drawn with others is drawn again. */
let version = 0;
export const emojiVersion = () => version;

/** Loads the names and signs of all emoji; without them the page shows names. */
export async function loadEmoji(): Promise<void> {
  const response = await fetch('/emoji.json');
  if (!response.ok) return;
  for (const group of (await response.json()) as EmojiGroup[]) {
    GROUPS.push(group);
    for (const [sign, ...names] of group.emoji) for (const name of names) SIGNS.set(name, sign);
  }
  version += 1;
}

/** Custom emoji by name: a picture's URL, or `alias:` and another name. */
let custom: Record<string, string> = {};
export function setCustomEmoji(emoji: Record<string, string>): void {
  if (JSON.stringify(emoji) !== JSON.stringify(custom)) version += 1;
  custom = emoji;
}

/** An emoji: a sign, a custom emoji's picture, or its name. */
export function Emoji({ name }: { name: string }) {
  const own = customEmoji(name);
  // From this server or from the web.
  if (own !== undefined && /^(\/(?![/\\])|https:)/.test(own))
    return <img className="emoji" src={own} alt={`:${name}:`} title={`:${name}:`} />;
  return emojiOf(own?.startsWith('alias:') ? own.slice('alias:'.length) : name);
}

/** Whether an emoji is drawn as a picture. */
export const isPicture = (name: string) => customEmoji(name)?.startsWith('alias:') === false;

/** A custom emoji's picture, or `alias:` and the name of one that is not custom. */
function customEmoji(name: string): string | undefined {
  const own = Object.hasOwn(custom, name) ? custom[name] : undefined;
  if (!own?.startsWith('alias:')) return own;
  const other = own.slice('alias:'.length);
  if (!Object.hasOwn(custom, other)) return own;
  // An alias of an alias is not followed.
  return custom[other]?.startsWith('alias:') === true ? undefined : custom[other];
}

/** The sign of an emoji; its name if it is unknown or no font on this machine has it. */
export function emojiOf(name: string): string {
  const sign = SIGNS.get(name.split('::')[0] ?? '');
  return sign !== undefined && HAS_FONT ? sign : `:${name}:`;
}

/** Names that match the typed text: first those that begin with it, then those that contain it. */
export function findEmoji(typed: string, limit = 8): string[] {
  const wanted = typed.toLowerCase();
  const begin: string[] = [];
  const contain: string[] = [];
  for (const name of [...Object.keys(custom), ...FIRST, ...SIGNS.keys()]) {
    if (begin.length >= limit) break;
    if (name.startsWith(wanted)) {
      if (!begin.includes(name)) begin.push(name);
    } else if (contain.length < limit && name.includes(wanted)) contain.push(name);
  }
  return [...begin, ...contain].slice(0, limit);
}

/** Whether a sign differs in width from the glyph for a missing character: drawing both would take long. */
export const HAS_FONT = (() => {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return true;
  context.font = '18px sans-serif';
  return context.measureText('\u{1F3AB}').width !== context.measureText('\u{1FFFE}').width;
})();
