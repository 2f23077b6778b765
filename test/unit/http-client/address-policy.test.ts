/** Which addresses outgoing requests may connect to, in every way of writing them. */
import { describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';

const byDefault = new AddressPolicy([]);

describe('AddressPolicy', () => {
  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
    '::ffff:1.1.1.1',
    '::ffff:101:101',
    '64:ff9b::1.1.1.1',
    '64:ff9b::101:101',
  ])('allows the public address %s', (address) => {
    expect(byDefault.allows(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.0',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:FFFF:7F00:0001',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456:789a::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '2130706433',
    '',
  ])('refuses %j', (address) => {
    expect(byDefault.allows(address)).toBe(false);
  });

  it('allows the given networks and single addresses, and no other private ones', () => {
    const policy = new AddressPolicy(['127.0.0.1', '10.1.0.0/16', 'fd00::/8']);
    const allowed = ['127.0.0.1', '::ffff:127.0.0.1', '10.1.255.1', '64:ff9b::a01:1', 'fd00::1'];
    expect(allowed.filter((address) => !policy.allows(address))).toEqual([]);
    const refused = ['127.0.0.2', '10.2.0.1', 'fc00::1', '::1'];
    expect(refused.filter((address) => policy.allows(address))).toEqual([]);
    expect(policy.allows('1.1.1.1')).toBe(true);
  });

  it('allows every address when `any` is among the networks', () => {
    const policy = new AddressPolicy(['any']);
    expect(['127.0.0.1', '::1', '10.0.0.1', 'fe80::1'].every((ip) => policy.allows(ip))).toBe(true);
  });

  it.each(['localhost', '10.0.0.0/33', '::/129', '10.0.0/8'])('takes no network %j', (network) => {
    expect(() => new AddressPolicy([network])).toThrow();
  });
});
