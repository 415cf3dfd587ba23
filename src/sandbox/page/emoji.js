/** The emoji a help desk meets; any other name is shown as `:name:`. */
const EMOJI = {
  '+1': '👍',
  '-1': '👎',
  100: '💯',
  alarm_clock: '⏰',
  arrow_right: '➡️',
  bell: '🔔',
  bug: '🐛',
  bulb: '💡',
  calendar: '📅',
  card_index: '📇',
  clap: '👏',
  clipboard: '📋',
  computer: '💻',
  cry: '😢',
  double_vertical_bar: '⏸️',
  exclamation: '❗',
  eyes: '👀',
  fire: '🔥',
  gear: '⚙️',
  grin: '😁',
  grinning: '😀',
  hammer_and_wrench: '🛠️',
  handshake: '🤝',
  heart: '❤️',
  heavy_check_mark: '✔️',
  heavy_plus_sign: '➕',
  hourglass: '⌛',
  hourglass_flowing_sand: '⏳',
  inbox_tray: '📥',
  information_source: 'ℹ️',
  joy: '😂',
  key: '🔑',
  large_blue_circle: '🔵',
  large_green_circle: '🟢',
  large_orange_circle: '🟠',
  large_red_circle: '🔴',
  large_yellow_circle: '🟡',
  link: '🔗',
  lock: '🔒',
  loudspeaker: '📢',
  mag: '🔍',
  memo: '📝',
  no_entry: '⛔',
  ok_hand: '👌',
  outbox_tray: '📤',
  paperclip: '📎',
  pause_button: '⏸️',
  pencil2: '✏️',
  phone: '☎️',
  pray: '🙏',
  pushpin: '📌',
  question: '❓',
  raised_hands: '🙌',
  repeat: '🔁',
  robot_face: '🤖',
  rocket: '🚀',
  rotating_light: '🚨',
  shushing_face: '🤫',
  slightly_smiling_face: '🙂',
  smile: '😄',
  sparkles: '✨',
  speech_balloon: '💬',
  star: '⭐',
  stopwatch: '⏱️',
  tada: '🎉',
  thinking_face: '🤔',
  thumbsdown: '👎',
  thumbsup: '👍',
  ticket: '🎫',
  tools: '🛠️',
  unlock: '🔓',
  wastebasket: '🗑️',
  warning: '⚠️',
  wave: '👋',
  white_check_mark: '✅',
  white_circle: '⚪',
  wrench: '🔧',
  x: '❌',
  zap: '⚡',
};

/** Offered under a message, the one that opens a ticket first. */
export const PICKER = [
  'ticket',
  'eyes',
  'white_check_mark',
  '+1',
  'tada',
  'heart',
  'thinking_face',
  'shushing_face',
];

/** The sign of an emoji; its name where it is unknown or this machine has no font that shows it. */
export function emojiOf(name) {
  const sign = EMOJI[name.split('::')[0]];
  return sign !== undefined && HAS_FONT ? sign : `:${name}:`;
}

/** Whether an emoji looks different from a character that no font has. */
const HAS_FONT = (() => {
  const drawn = (character) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 24;
    const context = canvas.getContext('2d');
    if (!context) return character;
    context.font = '18px sans-serif';
    context.fillText(character, 2, 19);
    return canvas.toDataURL();
  };
  return drawn('\u{1F3AB}') !== drawn('\u{1FFFE}');
})();
