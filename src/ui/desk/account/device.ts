/** In order: most browsers also name those that they are compatible with, Chrome and Safari. */
const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

/** Returns the browser and operating system that a `User-Agent` header names; undefined for an unknown one. */
export function deviceOf(userAgent: string | null): {
  browser: string | undefined;
  system: string | undefined;
  isPhone: boolean;
} {
  const named = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  return {
    browser: named(BROWSERS),
    system: named(SYSTEMS),
    isPhone: /iPhone|Android.*Mobile/.test(userAgent ?? ''),
  };
}
