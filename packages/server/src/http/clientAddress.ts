import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { Result } from "effect"
import { forwardedHops } from "./forwardedHops.ts"

/** Addresses that are meant together; empty means none. */
export type AddressRanges = ReadonlyArray<IpNetwork.IpNetwork>

const plain = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address) && NetAddress.isIpv4Mapped(address)
    ? Result.getOrElse(NetAddress.ipFromString(NetAddress.formatIp(address).slice("::ffff:".length)), () => address)
    : address

/** Reads an IP address; IPv4 inside IPv6 (`::ffff:…`) is IPv4. Undefined where the text is no address. */
export const parseAddress = (text: string): NetAddress.IpAddress | undefined =>
  Result.match(NetAddress.ipFromString(text), { onSuccess: plain, onFailure: () => undefined })

/** Reads an address or a CIDR range, host bits ignored. Undefined where the text is neither. */
export const parseRange = (text: string): IpNetwork.IpNetwork | undefined => {
  if (text.includes("/")) {
    return Result.match(IpInterface.fromString(text, { prefix: "required" }), {
      onSuccess: (parsed): IpNetwork.IpNetwork => IpNetwork.fromInterface(parsed),
      onFailure: () => undefined
    })
  }
  const address = parseAddress(text)
  if (address === undefined) return undefined
  return IpNetwork.fromAddressUnsafe(address, NetAddress.isIpv4Address(address) ? 32 : 128)
}

/** Reads the ranges of trusted proxies. What is none, and a range of every address, is a mistake of the configuration and throws. */
export const parseProxies = (texts: ReadonlyArray<string>): AddressRanges =>
  texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new Error(`${JSON.stringify(text)} is no address or CIDR range of a trusted proxy`)
    if (range.prefixLength === 0) throw new Error(`${text} would trust every address as a proxy`)
    return range
  })

/** Reads several ranges; what cannot be read admits nobody. */
export const parseRanges = (texts: ReadonlyArray<string>): AddressRanges =>
  texts.flatMap((text) => parseRange(text) ?? [])

/** Whether an address, as text, lies in one of the ranges. */
export const isWithin = (ranges: AddressRanges, address: string): boolean => {
  if (ranges.length === 0) return false
  const parsed = parseAddress(address)
  return parsed !== undefined && ranges.some((range) => IpNetwork.contains(range, parsed))
}

/** What proxies say of whom they forward for, as the headers came: each lists the hops, the nearest last. */
export interface Forwarding {
  /** `X-Forwarded-For`. */
  readonly forwardedFor: string | undefined
  /** `Forwarded` (RFC 7239). */
  readonly forwarded: string | undefined
}

/** The last hop that is no trusted proxy, or the first of all; undefined where a hop on the way there cannot be read. */
const furthestOf = (hops: ReadonlyArray<string | undefined>, trusted: AddressRanges): string | undefined => {
  let furthest: string | undefined
  for (const hop of hops.toReversed()) {
    const address = hop === undefined ? undefined : parseAddress(hop)
    if (address === undefined) return undefined
    furthest = NetAddress.formatIp(address)
    if (!isWithin(trusted, furthest)) return furthest
  }
  return furthest
}

/** The address of a peer that speaks for itself, as it is written everywhere; undefined where it is a trusted proxy. */
const directAddress = (peer: string, trusted: AddressRanges): string | undefined => {
  const parsed = parseAddress(peer)
  const written = parsed === undefined ? peer : NetAddress.formatIp(parsed)
  return isWithin(trusted, written) ? undefined : written
}

/**
 * The address that made a request: the socket's peer or, where the peer is a trusted proxy, the rightmost address that the
 * proxies name and that is none of them. What a client writes there itself stands further left and is never looked at.
 * Undefined where a trusted proxy names nobody, nobody that can be read, or in its two headers two different ones: the
 * request may then be anybody's.
 */
export const clientAddress = (
  peer: string,
  { forwarded, forwardedFor }: Forwarding,
  trusted: AddressRanges
): string | undefined => {
  const direct = directAddress(peer, trusted)
  if (direct !== undefined) return direct
  const named = [
    ...(forwardedFor === undefined ? [] : [forwardedFor.split(",").map((hop) => hop.trim())]),
    ...(forwarded === undefined ? [] : [forwardedHops(forwarded)])
  ].map((hops) => furthestOf(hops, trusted))
  return new Set(named).size === 1 ? named[0] : undefined
}

/** How many peers a process remembers. */
const peersMax = 10_000

/**
 * Makes what gives the address of a peer that speaks for itself, whatever its headers say; undefined where it is a trusted proxy. The same
 * peers come again and again, so what was read of them is remembered.
 */
export const makeDirectAddress = (trusted: AddressRanges): ((peer: string) => string | undefined) => {
  const known = new Map<string, string | undefined>()
  return (peer) => {
    if (known.has(peer)) return known.get(peer)
    const direct = directAddress(peer, trusted)
    if (known.size >= peersMax) known.clear()
    known.set(peer, direct)
    return direct
  }
}

/** What failed authentications of an address are counted under: the address itself, or the /64 of an IPv6 one. */
export const addressGroup = (address: string): string => {
  const parsed = parseAddress(address)
  return parsed !== undefined && NetAddress.isIpv6Address(parsed)
    ? IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed, 64))
    : address
}
