/** The ends of file names that look like hosts: `log.txt` is no address. */
const FILE_ENDINGS =
  /\.(?:7z|avi|bak|bat|bmp|c|cfg|conf|cpp|cs|css|csv|dll|docx?|eml|exe|gif|go|gz|h|heic|html?|ics|ini|iso|jar|java|jpe?g|js|json|jsx|key|kt|lock|log|m4a|md|mov|mp[34]|msg|msi|odt|pdf|pem|php|png|pptx?|ps1|py|rar|rb|rs|rtf|sh|sql|svg|tar|tgz|tiff?|tmp|tsx?|txt|vcf|wav|webm|webp|xlsx?|xml|ya?ml|zip)$/i;

/** An address of the web or of mail in a label: with a scheme, a user, or only a host. */
const ADDRESS =
  /(?:https?:\/\/)?(?:[^\s/@"'<>()]{1,64}@)?(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:\p{L}{2,24}|xn--[a-z0-9-]{1,59})(?![\p{L}\p{N}_-])|https?:\/\/[^\s/?#"'<>()]+/giu;
/** A longer label is no address, but words. */
const LABEL = 1_000;

/**
 * Returns a link's label as it is shown. Where it names another address than the link's, two people would read the link
 * differently: the link's own host, mail address or number stands behind it. `[bank.example](https://evil.example)` is
 * shown as `bank.example (evil.example)`, everywhere.
 */
export function shownLabel(url: string, label: string): string {
  const target = targetOf(url);
  if (target === undefined || !namesAnother(url, target, label) || label.endsWith(`(${target})`))
    return label;
  return `${label} (${target})`;
}

/** Returns what a reader needs to know of where a link leads. */
function targetOf(url: string): string | undefined {
  if (/^https?:/i.test(url)) return URL.parse(url)?.host;
  return /^(?:mailto|tel):([^?]+)/i.exec(url)?.[1];
}

function namesAnother(url: string, target: string, label: string): boolean {
  if (/^tel:/i.test(url)) return digitsOf(label).length >= DIGITS && digitsOf(label) !== digitsOf(target);
  const own = hostOf(target);
  // A URL as its own label can only mislead by its user.
  const named = label === url ? (/^https?:\/\/[^/?#]*/i.exec(url) ?? []) : addressesNamed(label);
  return named.some((address) => {
    const isWeb = /^https?:/i.test(address);
    // A user in front of the host reads like a host: https://bank.example@evil.example.
    if (isWeb && /^[^@]*\.\p{L}[^@]*@/u.test(address)) return true;
    if (address.includes('@') && !isWeb) return !/^mailto:/i.test(url) || !isSameText(address, target);
    return hostOf(address) !== own && (isWeb || !isFile(address, url));
  });
}

function addressesNamed(label: string): string[] {
  return [...label.slice(0, LABEL).matchAll(ADDRESS)].map(([address]) => address);
}

/** The digits of the shortest number that people dial. */
const DIGITS = 5;

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}

function isSameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** A file's name as the label of the file's link. */
function isFile(named: string, url: string): boolean {
  return FILE_ENDINGS.test(named) || url.toLowerCase().endsWith(`/${named.toLowerCase()}`);
}

/** Returns the host of an address in the form that can be compared: without `www.`, port and user; as in DNS. */
function hostOf(address: string): string {
  const bare = address.replace(/^https?:\/\//i, '').replace(/^.*@/, '');
  const host = URL.parse(`https://${bare}`)?.hostname ?? bare.toLowerCase();
  return host.replace(/^www\./, '');
}
