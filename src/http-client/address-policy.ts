/**
 * Which IP addresses outgoing requests may connect to: public ones, and the networks that the
 * operator allows.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Special-purpose IPv4 networks of the IANA registry (RFC 6890 and later), and multicast. */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** All IPv6 addresses in public use are of this network, without the exceptions below. */
const PUBLIC_IPV6 = '2000::/3';
/** Protocol assignments with Teredo, documentation, 6to4. */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** First six groups of IPv6 addresses that lead to the IPv4 address in the last two. */
const IPV4_CARRIERS: readonly string[] = [
  '0,0,0,0,0,65535', // ::ffff:0:0/96, mapped
  '100,65435,0,0,0,0', // 64:ff9b::/96, NAT64
];

export class AddressPolicy {
  readonly #allowed: BlockList | 'any';
  static readonly #public6 = toBlockList([PUBLIC_IPV6]);
  static readonly #notPublic = toBlockList([...NOT_PUBLIC_IPV4, ...NOT_PUBLIC_IPV6]);

  /**
   * @param networks in CIDR notation or single addresses; `any` among them allows every address.
   * Throws on what is neither.
   */
  constructor(networks: readonly string[]) {
    this.#allowed = networks.includes('any') ? 'any' : toBlockList(networks);
  }

  /** @param address IPv4 or IPv6 in any notation; anything else is not allowed */
  allows(address: string): boolean {
    if (this.#allowed === 'any') return true;
    const [ip, family] = effective(address);
    if (family === null) return false;
    if (this.#allowed.check(ip, family)) return true;
    if (family === 'ipv6' && !AddressPolicy.#public6.check(ip, family)) return false;
    return !AddressPolicy.#notPublic.check(ip, family);
  }
}

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.trim().split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

/** The address that packets go to: an IPv4 address inside an IPv6 one counts as itself. */
function effective(address: string): [string, 'ipv4' | 'ipv6' | null] {
  const [ip = ''] = address.split('%');
  if (isIPv4(ip)) return [ip, 'ipv4'];
  if (!isIPv6(ip)) return [ip, null];
  const groups = groupsOf(ip);
  if (!IPV4_CARRIERS.includes(groups.slice(0, 6).join())) return [ip, 'ipv6'];
  return [
    groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.'),
    'ipv4',
  ];
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(ipv6: string): number[] {
  const [head = '', tail = ''] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::');
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const given = [left ?? [], right ?? []] as const;
  const zeros = Array.from({ length: 8 - given[0].length - given[1].length }, () => '0');
  return [...given[0], ...zeros, ...given[1]].map((group) => Number.parseInt(group, 16));
}
