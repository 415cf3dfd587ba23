const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bCrOS\b/, 'ChromeOS', 'laptop'],
  [/\bMac OS X\b/, 'macOS', 'laptop'],
  [/\bWindows\b/, 'Windows', 'laptop'],
  [/\bLinux\b/, 'Linux', 'laptop'],
];

/** What a user agent is, as people know it: `{ name: 'Firefox on Windows', icon }`. */
export function deviceOf(userAgent) {
  const text = userAgent ?? '';
  const [, browser] = BROWSERS.find(([pattern]) => pattern.test(text)) ?? [];
  const [, system, icon] = SYSTEMS.find(([pattern]) => pattern.test(text)) ?? [];
  if (!browser && !system) return { name: text.split(/[\s/(]/)[0] || 'Unknown device', icon: 'program' };
  return { name: [browser ?? 'A browser', system].filter(Boolean).join(' on '), icon: icon ?? 'laptop' };
}
