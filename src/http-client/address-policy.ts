/**
 * Which IP addresses outgoing requests may connect to: public addresses, and networks that the
 * operator allows.
 */
import { isIP } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

type Address = IPv4 | IPv6;

/** All IPv6 addresses in public use are in this network. */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');

export class AddressPolicy {
  readonly #allowed: readonly (readonly [Address, number])[] | 'any';

  /**
   * @param networks in CIDR notation or single addresses; `any` among them allows every address.
   * Throws on anything else.
   */
  constructor(networks: readonly string[]) {
    this.#allowed = networks.includes('any') ? 'any' : networks.map(toNetwork);
  }

  /** @param address IPv4 or IPv6 in any notation; anything else is not allowed */
  allows(address: string): boolean {
    if (this.#allowed === 'any') return true;
    if (isIP(address) === 0) return false;
    const ip = effective(ipaddr.parse(address));
    if (this.#allowed.some((network) => isWithin(ip, network))) return true;
    return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || isWithin(ip, PUBLIC_IPV6));
  }
}

const isWithin = (ip: Address, [network, bits]: readonly [Address, number]): boolean =>
  ip.kind() === network.kind() && ip.match(network, bits);

function toNetwork(network: string): [Address, number] {
  const [address = ''] = network.trim().split('/');
  const family = isIP(address);
  if (family === 0) throw new Error(`\`${network}\` is no network`);
  return ipaddr.parseCIDR(
    network.includes('/') ? network.trim() : `${address}/${family === 4 ? 32 : 128}`,
  );
}

/** The address that packets go to: an IPv4 address mapped into IPv6, or behind NAT64, counts as itself. */
function effective(ip: Address): Address {
  const isCarrier = ip.range() === 'ipv4Mapped' || ip.range() === 'rfc6052';
  return isCarrier ? ipaddr.fromByteArray(ip.toByteArray().slice(-4)) : ip;
}
