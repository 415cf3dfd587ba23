/** Emoji that people use at work, by the names that Slack and GitHub have for them; the most common ones first. */
const TABLE =
  'thumbsup 👍|pray 🙏|tada 🎉|smile 😄|white_check_mark ✅|eyes 👀|rocket 🚀|heart ❤️|wave 👋|slightly_smiling_face 🙂|thinking_face 🤔|joy 😂|sweat_smile 😅|wink 😉|raised_hands 🙌|clap 👏|ok_hand 👌|muscle 💪|fire 🔥|star ⭐|sparkles ✨|100 💯|warning ⚠️|x ❌|heavy_check_mark ✔️|question ❓|exclamation ❗|bulb 💡|bug 🐛|wrench 🔧|hammer_and_wrench 🛠️|gear ⚙️|lock 🔒|unlock 🔓|key 🔑|link 🔗|paperclip 📎|memo 📝|pushpin 📌|calendar 📆|hourglass ⌛|alarm_clock ⏰|bell 🔔|mag 🔍|email 📧|phone ☎️|computer 💻|desktop_computer 🖥️|keyboard ⌨️|printer 🖨️|floppy_disk 💾|battery 🔋|electric_plug 🔌|satellite_antenna 📡|globe_with_meridians 🌐|package 📦|house 🏠|office 🏢|coffee ☕|pizza 🍕|cake 🍰|beers 🍻|sunny ☀️|cloud ☁️|snowflake ❄️|palm_tree 🌴|airplane ✈️|car 🚗|blush 😊|grin 😁|laughing 😆|sunglasses 😎|neutral_face 😐|confused 😕|disappointed 😞|cry 😢|sob 😭|scream 😱|angry 😠|sleeping 😴|face_with_rolling_eyes 🙄|facepalm 🤦|shrug 🤷|thumbsdown 👎|point_right 👉|point_up ☝️|point_down 👇|handshake 🤝|broken_heart 💔|zap ⚡|dart 🎯|chart_with_upwards_trend 📈|moneybag 💰|gift 🎁|trophy 🏆|green_circle 🟢|yellow_circle 🟡|red_circle 🔴|arrow_right ➡️|hugging_face 🤗|partying_face 🥳|+1 👍|-1 👎';

export const EMOJI: readonly { name: string; sign: string }[] = TABLE.split('|').map((entry) => {
  const [name = '', sign = ''] = entry.split(' ');
  return { name, sign };
});
