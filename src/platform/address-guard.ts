import { BlockList, isIP, isIPv4 } from 'node:net';

// Special-purpose ranges (IANA registries) that a webhook URL chosen by a customer must not reach. IPv6 is an allow
// list: only global unicast (2000::/3) may be called, except the ranges that tunnel to IPv4, where a public-looking
// address embeds a private one (6to4, Teredo; NAT64 lies outside 2000::/3).
const refused4 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  refused4.addSubnet(network, bits, 'ipv4');

const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const refused6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  refused6.addSubnet(network, bits, 'ipv6');

/** Returns the IPv4 address inside `::ffff:a.b.c.d`, however it is written, or undefined. */
function mapped4(address: string): string | undefined {
  const host = URL.parse(`http://[${address}]/`)?.hostname;
  const words = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host ?? '');
  if (!words) return undefined;
  const [high, low] = [Number.parseInt(words[1] ?? '', 16), Number.parseInt(words[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns whether an IP address (as a resolver returns it) is on the public internet. False for anything that is not an
 * IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  const inner = mapped4(address);
  if (inner !== undefined) return !refused4.check(inner, 'ipv4');
  return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

/**
 * Returns the IP address that a URL contains literally, or undefined if the host is a name. URL parsing has already
 * normalised every spelling (octal, hexadecimal, one integer, full-width digits, trailing dot). Sockets never look up
 * such a host, so a lookup hook alone does not see it.
 */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}
